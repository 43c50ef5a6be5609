// A problem for an attention engine: arrays, who attends to what, and what cannot be judged.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ENGINE_ENGINE_PROBLEM_H
#define AMALGAM_KERNEL_ENGINE_ENGINE_PROBLEM_H

#include "engine/engine.h"
#include "kernel/attention/attention_problem.h"

typedef struct engine_problem {
  // One problem of one head: rows are query tokens, dk and dv are d, v is there. Its visible is
  // the mask and the causal rule together.
  attention_problem_t attention;
  bool masked;  // a mask was given
  bool causal;
  num_bf16_t *q;      // [rows,d], scaled
  size_t *limit;      // [rows], of a causal problem, else NULL
  uint8_t *poisoned;  // [rows], 1: infinities or NaNs among what the row attends to
  size_t poisoned_rows;
} engine_problem_t;

// The engine's job, with its result in out [rows,d].
engine_job_t engine_problem_job(const engine_problem_t *problem, num_bf16_t *out);

// Queries, keys and values without their infinities and NaNs, which become 0: the golden attention
// of rows that are not poisoned stays the same.
void engine_problem_clean(engine_problem_t *problem);

void engine_problem_free(engine_problem_t *problem);

#endif
