// Figure 1: roofline of the chip.  A point's place on the x axis is the formula's intensity, the
// same for the paper's points and ours: with warm L2 a short context is not read from HBM at all.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/report.h"
#include "report/report_write.h"

enum { POINTS_MAX = 2 * REPORT_KEYS_MAX };

typedef struct point {
  size_t sq, sk;
  const report_outcome_t *outcome;
  const report_entry_t *paper;     // NULL: not in the paper
} point_t;

typedef struct figure {
  point_t list[POINTS_MAX];
  size_t count;
  double peak, hbm;                // TFLOPS, TB/s
  unsigned long long batch;
} figure_t;

static double intensity(const point_t *point) {
  return report_mla_intensity(point->sq * REPORT_HEADS);
}

static double read_intensity(const point_t *point) {
  return point->outcome->hbm_read == 0
             ? NAN
             : (double)point->outcome->flops / (double)point->outcome->hbm_read;
}

static double tflops(const point_t *point) {
  return (double)point->outcome->flops / point->outcome->time_us * 1e-6;
}

// The paper gives FLOPS utilisation of the peak it states for the chip.
static double paper_tflops(const point_t *point) {
  const double stated_peak = 707.8;
  return point->paper == NULL ? NAN : point->paper->fu / 100 * stated_peak;
}

static void write_json(const void *data, cJSON *root) {
  const figure_t *figure = data;
  cJSON_AddNumberToObject(root, "peak_tflops", figure->peak);
  cJSON_AddNumberToObject(root, "hbm_tbps", figure->hbm);
  cJSON_AddNumberToObject(root, "batch", (double)figure->batch);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < figure->count; ++i) {
    const point_t *point = &figure->list[i];
    cJSON *row = json_add_row(list);
    cJSON_AddNumberToObject(row, "sq", (double)point->sq);
    cJSON_AddNumberToObject(row, "sk", (double)point->sk);
    cJSON_AddNumberToObject(row, "intensity", intensity(point));
    cJSON_AddNumberToObject(row, "intensity_of_hbm_reads", read_intensity(point));
    cJSON_AddNumberToObject(row, "tflops", tflops(point));
    cJSON *paper = cJSON_AddObjectToObject(row, "paper");
    cJSON_AddNumberToObject(paper, "tflops", paper_tflops(point));
  }
}

static void write_markdown(const void *data, FILE *file) {
  const figure_t *figure = data;
  fprintf(file,
          "# Figure 1 of the AMLA paper: roofline of the chip\n\n"
          "Peak %.1f TFLOPS, HBM %.1f TB/s: they meet at %.0f FLOP/byte. AMLA, 128 heads, batch "
          "%llu, L2 warm\n(`amalgam report fig1`). The paper's TFLOPS are those of its table 5.\n\n"
          "| Sq | Sk | FLOP/byte, formula | of bytes read from HBM | TFLOPS | paper |\n"
          "|---|---|---|---|---|---|\n",
          figure->peak, figure->hbm, figure->peak / figure->hbm, figure->batch);
  for (size_t i = 0; i < figure->count; ++i) {
    const point_t *point = &figure->list[i];
    fprintf(file, "| %zu | %zu | %.1f |", point->sq, point->sk, intensity(point));
    report_cell(file, 1, read_intensity(point));
    report_cell(file, 1, tflops(point));
    report_cell(file, 1, paper_tflops(point));
    fputc('\n', file);
  }
  fprintf(file, "\n![plot](fig1.svg)\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const figure_t *figure = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < figure->count; ++i) {
    const point_t *point = &figure->list[i];
    fprintf(gnuplot, "%g %g %zu ", intensity(point), tflops(point), point->sk);
    fprintf(gnuplot, point->paper == NULL ? "NaN\n" : "%g\n", paper_tflops(point));
  }
  fprintf(gnuplot,
          "EOD\nset logscale xy\nset xrange [20:1000]\nset grid\n"
          "set xlabel 'FLOP/byte'\nset ylabel 'TFLOPS'\nset key bottom right\n"
          "set samples 1000\npeak = %g\nhbm = %g\nset yrange [peak / 15 : peak * 1.5]\n"
          "plot (x * hbm < peak ? x * hbm : NaN) title sprintf('HBM, %%.1f TB/s', hbm) "
          "lw 2 dt 2 lc rgb '#4477aa', "
          "(x * hbm >= peak ? peak : NaN) title sprintf('peak, %%.1f TFLOPS', peak) "
          "lw 2 lc rgb '#4477aa', "
          "$data using 1:2 title 'AMLA, ours' pt 7 lc rgb '#cc6633', "
          "'' using 1:4 title 'AMLA, paper' pt 6 lc rgb '#222222', "
          "'' using 1:2:(sprintf('Sk %%d', $3)) with labels left offset 1,0 font ',9' notitle\n",
          figure->peak, figure->hbm);
}

static void add_jobs(report_jobs_t *jobs, const kernel_machine_t *machine, figure_t *figure) {
  for (size_t i = 0; i < figure->count; ++i) {
    point_t *point = &figure->list[i];
    report_job_t *job =
        report_add(jobs, machine, "amla", "Sq %zu, Sk %zu", point->sq, point->sk);
    job->attention.input.batch = figure->batch;
    job->attention.input.seq_q = point->sq;
    job->attention.input.keys = point->sk;
    point->outcome = &job->outcome;
  }
}

bool report_fig1(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  const report_keys_t usual = {.list = {1024, 4096, 16384}, .count = 3};
  report_keys_t keys;
  kernel_machine_t machine;
  report_jobs_t jobs;
  if (!report_machine(settings, "ascend910", 0, &machine, error) ||
      !report_keys(settings, &usual, &keys, error) ||
      !report_jobs_open(&jobs, settings, error)) {
    return false;
  }
  figure_t figure = {.peak = report_peak_tflops(&machine.soc.config),
                     .hbm = report_hbm_tbps(&machine.soc.config),
                     .batch = kernel_size_or(settings->batch, REPORT_PAPER_BATCH)};
  for (size_t sq = 1; sq <= 2; ++sq) {
    for (size_t i = 0; i < keys.count; ++i) {
      figure.list[figure.count++] = (point_t){.sq = sq, .sk = keys.list[i],
                                              .paper = report_paper_entry(sq, keys.list[i])};
    }
  }
  const report_files_t files = {.name = context->name, .data = &figure, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  add_jobs(&jobs, &machine, &figure);
  const bool good = report_run_and_write(&jobs, false, &files, settings->out, code, error);
  report_jobs_close(&jobs);
  return good;
}
