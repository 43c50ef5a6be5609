// Figure 1: roofline of the chip.  A point's place on the x axis is the formula's intensity, the
// same for the paper's points and ours: with warm L2 a short context is not read from HBM at all.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/amla/paper.h"
#include "report/report_write.h"

enum { POINTS_MAX = 2 * REPORT_KEYS_MAX };

typedef struct point {
  size_t sq, sk;
  const report_outcome_t *outcome;
  const report_entry_t *paper;  // NULL: not in the paper
} point_t;

typedef struct figure {
  point_t list[POINTS_MAX];
  size_t count;
  kernel_machine_t machine;
  double peak, hbm;  // TFLOPS, TB/s
  unsigned long long batch;
} figure_t;

static double intensity(const point_t *point) { return report_mla_intensity(point->sq * REPORT_HEADS); }

static double read_intensity(const point_t *point) {
  return point->outcome->hbm_read == 0 ? NAN : (double)point->outcome->flops / (double)point->outcome->hbm_read;
}

static double tflops(const point_t *point) { return (double)point->outcome->flops / point->outcome->time_us * 1e-6; }

// The paper gives FLOPS utilisation of the peak it states for the chip.
static double paper_tflops(const point_t *point) {
  const double stated_peak = 707.8;
  return point->paper == NULL ? NAN : point->paper->fu / 100 * stated_peak;
}

static void fill(const void *data, cJSON *root) {
  const figure_t *figure = data;
  report_put(root, NUMBER("peak_tflops", figure->peak), NUMBER("hbm_tbps", figure->hbm), NUMBER("batch", figure->batch),
             NUMBER(".meet", figure->peak / figure->hbm));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < figure->count; ++i) {
    const point_t *point = &figure->list[i];
    report_row(list, NUMBER("sq", point->sq), NUMBER("sk", point->sk), NUMBER("intensity", intensity(point)),
               NUMBER("intensity_of_hbm_reads", read_intensity(point)), NUMBER("tflops", tflops(point)),
               NUMBER("paper/tflops", paper_tflops(point)));
  }
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  figure_t *figure = data;
  for (size_t i = 0; i < figure->count; ++i) {
    point_t *point = &figure->list[i];
    report_job_t *job = report_add(jobs, &figure->machine, "amla", "Sq %zu, Sk %zu", point->sq, point->sk);
    job->attention.input.batch = figure->batch;
    job->attention.input.seq_q = point->sq;
    job->attention.input.keys = point->sk;
    point->outcome = &job->outcome;
  }
}

REPORT_TEMPLATE(fig1_text, "amla/fig1.md");
static const report_t fig1 = {fill, fig1_text, add_jobs, NULL};

bool report_fig1(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  const report_keys_t usual = {.list = {1024, 4096, 16384}, .count = 3};
  report_keys_t keys;
  figure_t figure = {.batch = kernel_size_or(settings->batch, REPORT_PAPER_BATCH)};
  const config_t *config = &figure.machine.soc.config;
  if (!report_machine(context, "ascend910", 0, &figure.machine, error) ||
      !report_keys(settings, &usual, &keys, error)) {
    return false;
  }
  figure.peak = report_peak_tflops(config);
  figure.hbm = report_hbm_tbps(config);
  for (size_t sq = 1; sq <= 2; ++sq) {
    for (size_t i = 0; i < keys.count; ++i) {
      figure.list[figure.count++] =
          (point_t){.sq = sq, .sk = keys.list[i], .paper = report_paper_entry(sq, keys.list[i])};
    }
  }
  return report_simulate(context, &fig1, false, &figure, code, error);
}
