// Kernel base: Algorithm 1 (base_impl.h) without hooks.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/vector/attention_ub.h"

#include "kernels/attention/base_impl.h"

void cube_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem, true);
  const attention_output_t output = base_output(&problem);
  attention_cube(&problem, &output);
}

void vector_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem, true);
  attention_vector(&problem, &base_vector);
}
