// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse.h"
#include "report/document.h"
#include "report/w4a16/shapes.h"

static const report_shape_t paper_shapes[] = {
#define SHAPE(n, k, model) {n, k, model},
#include "report/w4a16/shapes.def"
#undef SHAPE
};
enum { PAPER_SHAPES = sizeof paper_shapes / sizeof *paper_shapes };
_Static_assert(sizeof paper_shapes / sizeof *paper_shapes <= REPORT_SHAPES_MAX, "room for the paper's shapes");

static bool read_shape(const char *text, report_shape_t *shape, base_error_t *error) {
  char number[24];
  uint64_t n = 0;
  uint64_t k = 0;
  const size_t length = strcspn(text, "x");
  snprintf(number, sizeof number, "%.*s", (int)length, text);
  if (length >= sizeof number || text[length] != 'x' || !parse_count(number, &n) ||
      !parse_count(text + length + 1, &k) || n < 8 || n > W4A16_MAX || n % 8 != 0 || k < 128 || k > W4A16_MAX ||
      k % 128 != 0) {
    return base_fail(error, "--shape: expected NxK with N a multiple of 8 and K of 128, got '%s'%s", text,
                     parse_hint(text));
  }
  *shape = (report_shape_t){.n = (size_t)n, .k = (size_t)k, .model = ""};
  return true;
}

static bool read_shapes(const report_settings_t *settings, report_gemm_t *gemm, base_error_t *error) {
  const report_words_t *list = &settings->shapes;
  for (; gemm->shapes < list->count; ++gemm->shapes) {
    if (!read_shape(list->item[gemm->shapes], &gemm->shape[gemm->shapes], error)) {
      return false;
    }
  }
  if (list->count == 0) {
    memcpy(gemm->shape, paper_shapes, sizeof paper_shapes);
    gemm->shapes = PAPER_SHAPES;
  }
  return true;
}

static bool read_rows(const report_context_t *context, const size_t *usual, size_t usual_rows, report_gemm_t *gemm,
                      base_error_t *error) {
  const report_words_t *list = &context->settings->rows;
  const size_t most = usual_rows == 1 ? 1 : REPORT_ROWS_MAX;
  if (list->count > most) {
    return base_fail(error, "--m: %s takes at most %zu", context->name, most);
  }
  for (; gemm->rows < list->count; ++gemm->rows) {
    uint64_t m = 0;
    if (!parse_count(list->item[gemm->rows], &m) || m < 1 || m > 65536) {
      return base_fail(error, "--m: expected a whole number from 1 to 65536, got '%s'%s", list->item[gemm->rows],
                       parse_hint(list->item[gemm->rows]));
    }
    gemm->m[gemm->rows] = (size_t)m;
  }
  if (list->count == 0) {
    memcpy(gemm->m, usual, usual_rows * sizeof *usual);
    gemm->rows = usual_rows;
  }
  return true;
}

bool report_gemm_read(const report_context_t *context, const size_t *usual, size_t usual_rows, report_gemm_t *gemm,
                      base_error_t *error) {
  memset(gemm, 0, sizeof *gemm);
  return report_machine(context, "ascend910_die", 0, &gemm->machine, error) &&
         read_shapes(context->settings, gemm, error) && read_rows(context, usual, usual_rows, gemm, error);
}

report_job_t *report_gemm_add(const report_gemm_t *gemm, report_jobs_t *jobs, const char *kernel, const char *what,
                              const report_shape_t *shape, size_t m) {
  report_job_t *job =
      report_add(jobs, &gemm->machine, kernel, "N %zu, K %zu, M %zu: %s %s", shape->n, shape->k, m, kernel, what);
  job->gemm.settings.machine.soc.l2_warm = false;
  job->gemm.settings.halving = true;  // of gemm: the tables' FP16 times
  job->gemm.input.n = shape->n;
  job->gemm.input.k = shape->k;
  job->gemm.input.m = m;
  return job;
}

void report_no_launch(report_job_t *job) {
  report_job_set(job, "soc.launch_us=0");
  report_job_set(job, "soc.skew_us=0");
}

void report_range_add(report_range_t *range, double value, const report_shape_t *shape, size_t m) {
  if (range->count == 0 || value < range->least) {
    range->least = value;
    range->least_shape = shape;
    range->least_m = m;
  }
  if (range->count == 0 || value > range->most) {
    range->most = value;
    range->most_shape = shape;
    range->most_m = m;
  }
  ++range->count;
}

static void put_text(const report_range_t *range, cJSON *object, const char *name) {
  report_put_text(object, name, "%.2f (N %zu, K %zu, M %zu) to %.2f (N %zu, K %zu, M %zu)", range->least,
                  range->least_shape->n, range->least_shape->k, range->least_m, range->most, range->most_shape->n,
                  range->most_shape->k, range->most_m);
}

void report_range_json(const report_range_t *range, cJSON *root, const char *name) {
  cJSON *texts = cJSON_GetObjectItem(root, ".text");
  texts = texts != NULL ? texts : cJSON_AddObjectToObject(root, ".text");
  if (range->count == 0) {
    report_put(root, NOTHING(name));
    report_put(texts, TEXT(name, "none"));
    return;
  }
  report_put(cJSON_AddObjectToObject(root, name), NUMBER("count", range->count), NUMBER("least/value", range->least),
             NUMBER("least/m", range->least_m), NUMBER("least/n", range->least_shape->n),
             NUMBER("least/k", range->least_shape->k), NUMBER("most/value", range->most),
             NUMBER("most/m", range->most_m), NUMBER("most/n", range->most_shape->n),
             NUMBER("most/k", range->most_shape->k));
  put_text(range, texts, name);
}
