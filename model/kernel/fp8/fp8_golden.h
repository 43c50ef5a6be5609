// What the answer of an FP8 problem is: the FP64 golden of some rows or all, and the numerical
// contract's own bits, both on the dequantised cache.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FP8_FP8_GOLDEN_H
#define AMALGAM_KERNEL_FP8_FP8_GOLDEN_H

#include "kernel/fp8/fp8_problem.h"
#include "kernel/result.h"

// Rows [lists][per_list] of the problem, output [..][512] and log-sum-exp.
typedef struct fp8_golden {
  size_t per_list;    // 0 .. fp8_list_rows
  double *out, *lse;  // owned
} fp8_golden_t;

// How many rows of each list to judge.
size_t fp8_golden_rows(const fp8_problem_t *problem, golden_choice_t choice);

// Which row of the list the i-th of them is.
size_t fp8_golden_row(const fp8_problem_t *problem, size_t per_list, size_t list, size_t i);

// What the keys are: the tokens, decoded, or problem->keys, which they were quantised from.
typedef enum fp8_source { FP8_FROM_TOKENS, FP8_FROM_KEYS } fp8_source_t;

// The same bits for any number of threads.  False: out of memory.
bool fp8_golden(const fp8_problem_t *problem, fp8_source_t source, size_t per_list, size_t threads,
                fp8_golden_t *golden);
void fp8_golden_free(fp8_golden_t *golden);

// out [rows][512] before the last cast, lse [rows], of all rows.  False: out of memory.
bool fp8_contract(const fp8_problem_t *problem, size_t threads, float *out, float *lse);

#endif
