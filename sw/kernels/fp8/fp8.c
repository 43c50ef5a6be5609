// Kernel fp8: AMLA over an FP8 cache.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fp8/fp8_amla.h"

void cube_main(void) {
  fp8_problem_t problem;
  attention_problem_read(&problem.attention, false);
  const attention_output_t output = amla_output(&problem.attention);
  attention_cube(&problem.attention, &output);
}

void vector_main(void) {
  fp8_problem_t problem;
  attention_problem_read(&problem.attention, false);
  attention_vector(&problem.attention, &amla_vector);
}
