// What a run over an FP8 cache found, for the text and the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_FP8_RESULT_H
#define KERNEL_FP8_RESULT_H

#include <cJSON.h>

#include "cli/option/options.h"
#include "kernel/fp8/fp8_problem.h"
#include "kernel/fp8/fp8_simulate.h"

// How near the result comes to what FlashMLA's own tests allow, 1: to the limit.  An output element
// is good if it is within 1e-3, or within 2.01/128 of its golden; a log-sum-exp within 1e-6, or
// 8.01/65536; the cosine difference within 5e-6.
typedef struct fp8_margin {
  double out, lse, cos_diff;
} fp8_margin_t;

typedef struct fp8_result {
  const options_t *options;
  const fp8_settings_t *settings;
  const fp8_problem_t *problem;
  soc_result_t soc;
  void *out;                 // owned: BF16 bits, or FP32
  float *lse;                // owned
  size_t judged_rows;        // of each list, compared with the golden; 0: no error below
  num_error_t error;         // over the judged rows, against the dequantised cache
  double lse_error;          // largest difference of a log-sum-exp
  fp8_margin_t margin;
  bool has_bf16;             // the same rows against the cache before it was quantised
  num_error_t bf16_error;
  double tolerance;
  bool verified;             // compared with the contract's C loops
  size_t wrong_bits;         // elements of output and log-sum-exp that differ from them
} fp8_result_t;

// Goldens and errors as --golden says; the contract's loops with --verify.
bool fp8_result_judge(fp8_result_t *result, base_error_t *error);

// Exit code 1 with a message, or 0.
base_exit_t fp8_result_verdict(const fp8_result_t *result, base_error_t *error);

void fp8_result_free(fp8_result_t *result);

void fp8_result_text(FILE *file, const fp8_result_t *result);
void fp8_result_json(const fp8_result_t *result, cJSON *root);

#endif
