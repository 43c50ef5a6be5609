// What a run of w4a16 or gemm found, for the text and the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_GEMM_RESULT_H
#define KERNEL_GEMM_RESULT_H

#include <cJSON.h>

#include "kernel/gemm/gemm_simulate.h"
#include "num/num_attention.h"

typedef struct gemm_result {
  const options_t *options;
  const gemm_settings_t *settings;
  const gemm_problem_t *problem;
  gemm_run_t run;
  void *out;               // owned
  uint16_t *b;             // owned: what the vector cores made of the weights; NULL: not looked at
  size_t judged_cols;      // compared with the golden; 0: no error below
  num_error_t error;
  double tolerance;
  bool verified;           // compared with the contract's C loops
  size_t wrong_bits;       // elements of the output that differ from them
  size_t wrong_weights;    // of b
} gemm_result_t;

// Relative errors beyond which a run exits with 1, unless --tolerance says otherwise. Rounding to
// FP16 costs 2.1e-4 as a rule and 2^-11 = 4.9e-4 at most; FP32 sums stay near 1e-6.
#define GEMM_TOLERANCE_F16 5e-4
#define GEMM_TOLERANCE_F32 1e-5

// FP64 golden on the contract's weights, as --golden says; the contract's loops with --verify.
bool gemm_result_judge(gemm_result_t *result, base_error_t *error);

// Exit code 1 with a message, or 0.
base_exit_t gemm_result_verdict(const gemm_result_t *result, base_error_t *error);

void gemm_result_free(gemm_result_t *result);

void gemm_result_text(FILE *file, const gemm_result_t *result);
void gemm_result_json(const gemm_result_t *result, cJSON *root);

#endif
