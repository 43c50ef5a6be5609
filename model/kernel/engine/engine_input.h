// A problem for an attention engine from the command line: files, made-up data, or a head of the
// shipped language model.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_ENGINE_INPUT_H
#define KERNEL_ENGINE_INPUT_H

#include "cli/option/options.h"
#include "engine/engine.h"
#include "kernel/attention/attention_problem.h"

typedef struct engine_input {
  // One problem of one head: rows are query tokens, dk and dv are d, v is there. Its visible is
  // the mask and the causal rule together.
  attention_problem_t problem;
  bool masked;             // --mask was given
  bool causal;             // --causal, or the shipped head's own
  num_bf16_t *q;           // [rows,d], scaled
  size_t *limit;           // [rows], of a causal problem, else NULL
  uint8_t *poisoned;       // [rows], 1: infinities or NaNs among what the row attends to
  size_t poisoned_rows;
} engine_input_t;

// False: *input holds nothing.
bool engine_input(const options_t *options, engine_input_t *input, base_error_t *error);

// What the engine is to compute, into out [rows,d].
engine_job_t engine_input_job(const engine_input_t *input, num_bf16_t *out);

// Queries, keys and values without their infinities and NaNs, which become 0: the golden attention
// of rows that are not poisoned stays the same.
void engine_input_clean(engine_input_t *input);

void engine_input_free(engine_input_t *input);

#endif
