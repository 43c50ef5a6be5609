// What a run found, for the text and the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_ATTENTION_RESULT_H
#define KERNEL_ATTENTION_RESULT_H

#include <cJSON.h>

#include "cli/option/options.h"
#include "kernel/attention/attention_problem.h"
#include "kernel/attention/attention_settings.h"

typedef struct attention_result {
  const options_t *options;
  const attention_settings_t *settings;
  const attention_problem_t *problem;
  soc_result_t soc;
  void *out;                 // owned
  size_t judged_rows;        // of each batch entry, compared with the golden; 0: no error below
  num_error_t error;         // over the judged rows
  num_error_t *per_token;    // owned; [batch * seq_q], NULL unless all rows are judged
  double tolerance;
  bool verified;             // compared with the contract's C loops
  size_t wrong_bits;         // elements that differ from them
} attention_result_t;

// Relative errors beyond which a run exits with 1, unless --tolerance says otherwise.  Rounding the
// output to BF16 alone costs 1.7e-3 (at most 2^-8 = 3.9e-3), P16 in front of it about as much for
// flat attention; FP32 results of the contract stay under 2.5e-3.
#define ATTENTION_TOLERANCE_BF16 5e-3
#define ATTENTION_TOLERANCE_F32 3e-3

// FP64 golden and errors as --golden says; the contract's loops with --verify.
bool attention_result_judge(attention_result_t *result, base_error_t *error);

// Exit code 1 with a message, or 0.
base_exit_t attention_result_verdict(const attention_result_t *result, base_error_t *error);

void attention_result_free(attention_result_t *result);

void attention_result_text(FILE *file, const attention_result_t *result);
void attention_result_json(const attention_result_t *result, cJSON *root);

#endif
