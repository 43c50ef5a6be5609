// ATTENTION in kernel step_base: Algorithm 1 (base_impl.h) without hooks.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/vector/attention_ub.h"

#include "kernels/attention/base_impl.h"
#include "kernels/step/attention/step_problem.h"

void step_attention_cube(const step_attention_args_t *args) {
  step_problem_t problem;
  step_problem_read(&problem, args, true);
  const attention_output_t output = base_output(&problem.attention);
  attention_cube(&problem.attention, &output);
}

void step_attention_vector(const step_attention_args_t *args) {
  step_problem_t problem;
  step_problem_read(&problem, args, true);
  attention_vector(&problem.attention, &base_vector);
}
