// Shared by the reports on W4A16: shapes, the simulations of one, the paper's claims.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_W4A16_SHAPES_H
#define AMALGAM_REPORT_W4A16_SHAPES_H

#include <cJSON.h>

#include "report/report.h"

enum { REPORT_SHAPES_MAX = 64, REPORT_ROWS_MAX = 8 };

// The paper's ranges: Split-K over data-parallel where K is much larger than N, and W4A16 over FP16.
#define PAPER_SPLITK_LEAST 1.01
#define PAPER_SPLITK_MOST 1.74
#define PAPER_FP16_MOST 1.48

typedef struct report_shape {
  size_t n, k;
  const char *model;  // "" if it was asked for
} report_shape_t;

// The range of a report.
typedef struct report_gemm {
  kernel_machine_t machine;
  report_shape_t shape[REPORT_SHAPES_MAX];
  size_t shapes;
  size_t m[REPORT_ROWS_MAX];
  size_t rows;
} report_gemm_t;

// The machine, --shape and --m, or the paper's shapes and the usual rows.
bool report_gemm_read(const report_context_t *context, const size_t *usual, size_t usual_rows, report_gemm_t *gemm,
                      base_error_t *error);

// Adds a simulation of a shape with cold weights. kernel: "w4a16" or "gemm"; what: for people.
report_job_t *report_gemm_add(const report_gemm_t *gemm, report_jobs_t *jobs, const char *kernel, const char *what,
                              const report_shape_t *shape, size_t m);

// All cores start at once.
void report_no_launch(report_job_t *job);

static inline double report_over(const report_outcome_t *slow, const report_outcome_t *fast) {
  return slow->time_us / fast->time_us;
}

// Least and most of some ratios.
typedef struct report_range {
  size_t count;
  double least, most;
  const report_shape_t *least_shape, *most_shape;
  size_t least_m, most_m;
} report_range_t;

void report_range_add(report_range_t *range, double value, const report_shape_t *shape, size_t m);
// {..., NAME: {"count", "least", "most"}}; for templates ".text/NAME" is "0.94 (N 576, K 7168, M 1) to
// 1.31 (...)", or "none".
void report_range_json(const report_range_t *range, cJSON *root, const char *name);

#endif
