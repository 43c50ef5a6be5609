// The problem of base and amla in a list.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/attention/step_problem.h"

#include "kernels/attention/attention_problem_impl.h"

// All attention_problem_t of these kernels are in a step_problem_t.
static const attention_args_t *given_args(const attention_problem_t *problem) {
  return ((const step_problem_t *)problem)->args;
}

static const attention_problem_hooks_t problem_hooks = {.args = given_args};
