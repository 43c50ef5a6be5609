// The report on the FP8 cache: what its simulations found, between those who run them and those who
// write the files.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_FP8_H
#define REPORT_FP8_H

#include <stdio.h>

#include "num/num_fp8.h"
#include "report/report_write.h"

// What was published (report_fp8.def).
typedef struct report_hopper {
#define HOPPER(what, value) double what;
#include "report/fp8/report_fp8.def"
#undef HOPPER
} report_hopper_t;

extern const report_hopper_t report_hopper;

enum {
  FP8_ROW_COUNTS = 3,      // of an AI core: 64, 128, 256
  FP8_CONFIGURATIONS = FP8_ROW_COUNTS * 4,
  FP8_FAST = 4,            // configurations of 64 rows, again with cube cores that are fed faster
  FP8_DIRECT = 4,          // crossover with 64 and 128 rows, keys straight into L1
  FP8_DENSE_MAX = 6,
  FP8_SHORT = 8192,        // keys: what a token takes is the difference over the two lengths
  FP8_LONG = 16384,
};

// As a run would say it. What keeps a cube core with 64 rows below its peak, whoever dequantises, taken away: loads at 150
// GB/s, L0's at 238 and 119 bytes a cycle, and the scalar core that pushes their commands.
#define REPORT_FP8_FAST                                                               \
  " --set cube.load_gbps=400 --set cube.l0a_bytes_per_cycle=512"                      \
  " --set cube.l0b_bytes_per_cycle=256 --set scalar.cpi=0.1 --set scalar.push_cycles=1"

// What no product has.
#define REPORT_FP8_DIRECT " --path direct --set soc.direct_path=1"

// A pair of AI cores with so many rows each, one entry.  At two lengths.
typedef struct report_fp8_row {
  size_t rows;
  bool emulated, crossover;
  const report_outcome_t *brief, *longer;        // this configuration
  const report_outcome_t *bf16_brief, *bf16_longer;   // amla on the same rows
} report_fp8_row_t;

// A call on the chip.
typedef struct report_fp8_call {
  size_t top_k;            // 0: dense
  size_t keys, batch;
  bool crossover;
  size_t rows;             // of an AI core
  const report_outcome_t *outcome;
} report_fp8_call_t;

enum { FP8_CALLS = 6, FP8_ERRORS = 3 };

// Relative errors on some data, BF16 output.
typedef struct report_fp8_error {
  const char *data;
  const report_outcome_t *outcome;
} report_fp8_error_t;

typedef struct report_fp8 {
  report_fp8_row_t row[FP8_CONFIGURATIONS];
  report_fp8_row_t fast[FP8_FAST];          // as row[0] .., REPORT_FP8_FAST
  report_fp8_row_t direct[FP8_DIRECT];      // REPORT_FP8_DIRECT
  report_fp8_call_t call[FP8_CALLS];
  report_fp8_call_t dense[FP8_DENSE_MAX];   // amla over BF16 on the chip
  size_t dense_count;
  const report_outcome_t *cold[2], *cold_bf16[2];   // HBM: cold L2, both lengths
  report_fp8_error_t error[FP8_ERRORS];
  config_t pair, chip;
  size_t batch;
} report_fp8_t;

// Cycles a token of an AI core, from the longer run and the shorter one: all, the cube's products,
// the vector cores' dequantisation and the rest of their work, which is softmax.
typedef struct report_fp8_cycles {
  double all, mma, dequant, softmax;
  double fu;               // cube use in between
  double bound_fu;         // at most, if these three overlapped and nothing else took time
} report_fp8_cycles_t;

report_fp8_cycles_t report_fp8_cycles(const report_fp8_row_t *row, const config_t *config);

// Bytes a token and AI core through L2 that are keys and values: what moves, less scores,
// probabilities, output and queries.
double report_fp8_kv_bytes(size_t rows, const report_outcome_t *brief,
                           const report_outcome_t *longer);

// Bytes of HBM a token.
double report_fp8_hbm_bytes(const report_outcome_t *const cold[2]);

double report_fp8_tflops(const report_fp8_call_t *call);

// The number of keys at which dense BF16 takes as long as the first of the calls; NAN: not between
// the lengths that were run.
double report_fp8_break_even(const report_fp8_t *report);

// Time of a call without any keys, by the calls of two top-k's with the same batch; us.
double report_fp8_fixed_us(const report_fp8_t *report);

extern const report_files_t report_fp8_files;

#endif
