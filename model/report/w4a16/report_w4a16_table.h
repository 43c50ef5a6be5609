// The report on W4A16: what is simulated (report_w4a16.c), and what is written about it
// (report_w4a16_write.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_W4A16_TABLE_H
#define REPORT_W4A16_TABLE_H

#include "report/report_write.h"
#include "report/w4a16/report_w4a16.h"

enum { W4A16_SLICE_COUNTS = 5, W4A16_SAMPLES_MAX = 3 };
extern const unsigned w4a16_slice_counts[W4A16_SLICE_COUNTS];

// The simulations of a shape at an M.
enum {
  W4A16_FP16, W4A16_SPLITK, W4A16_PARALLEL_128, W4A16_PARALLEL_256,   // cold weights
  W4A16_FP16_WARM, W4A16_SPLITK_WARM, W4A16_KINDS
};
enum { W4A16_COLD_KINDS = W4A16_FP16_WARM };
typedef struct w4a16_kind {
  const char *kernel, *mode, *l2;
  unsigned tile_n;                   // of data-parallel ones
} w4a16_kind_t;
extern const w4a16_kind_t w4a16_kinds[W4A16_KINDS];

typedef struct w4a16_entry {
  const report_shape_t *shape;
  size_t m;
  const report_outcome_t *of[W4A16_KINDS];
} w4a16_entry_t;

// At the report's middle M: by number of slices, and with cores that start at once.
typedef struct w4a16_detail {
  const report_shape_t *shape;
  const report_outcome_t *automatic;
  const report_outcome_t *slices[W4A16_SLICE_COUNTS];
  const report_outcome_t *at_once[W4A16_COLD_KINDS];
} w4a16_detail_t;

// A simulation with arithmetic, and the same without.
typedef struct w4a16_sample {
  const report_shape_t *shape;
  const report_outcome_t *computed, *timed;
} w4a16_sample_t;

typedef struct w4a16_table {
  report_gemm_t half;
  w4a16_entry_t *list;               // by shape, then by M
  size_t count;
  size_t middle_m;
  w4a16_detail_t detail[REPORT_SHAPES_MAX];
  w4a16_sample_t sample[W4A16_SAMPLES_MAX];
  size_t samples;
} w4a16_table_t;

// JSON, Markdown and plot.
extern const report_files_t w4a16_files;

#endif
