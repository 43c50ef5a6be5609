// What a run of an attention engine found, for the text and the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_ENGINE_RESULT_H
#define KERNEL_ENGINE_RESULT_H

#include <cJSON.h>
#include <stdio.h>

#include "kernel/engine/engine_input.h"
#include "kernel/engine/engine_settings.h"

typedef struct engine_result {
  const options_t *options;
  const engine_settings_t *settings;
  engine_input_t *input;
  num_bf16_t *out;         // [rows,d], owned
  engine_cycles_t cycles;
  double seconds;          // of the host, without building and opening
  size_t judged_rows;      // compared with the golden, poisoned ones left out; 0: no error below
  num_error_t error;       // over the judged rows
  double mean_rel;         // mean over the judged rows of their own relative error
  size_t nan_rows;         // not poisoned, but with a NaN in the output
  bool verified;           // compared with the C golden functions
  size_t wrong_bits;       // elements that differ from them
  engine_cycles_t model;   // the C model's cycles, if the RTL was verified
} engine_result_t;

// The errors, as --golden says, after --verify's comparison. The input's infinities and NaNs are
// gone afterwards.
bool engine_result_judge(engine_result_t *result, base_error_t *error);

// Exit code 1 with a message, or 0.
base_exit_t engine_result_verdict(const engine_result_t *result, base_error_t *error);

// Did --verify find that the RTL's cycles are not the C model's?
bool engine_result_cycles_differ(const engine_result_t *result);

// 4 d for every pair of a query and a key that took part.
uint64_t engine_result_flops(const engine_result_t *result);

// Keys that took part over those that the FAUs could have taken in the same cycles.
double engine_result_fu(const engine_result_t *result);

void engine_result_text(FILE *file, const engine_result_t *result);
void engine_result_json(const engine_result_t *result, cJSON *root);

void engine_result_free(engine_result_t *result);

#endif
