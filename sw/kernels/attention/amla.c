// Kernel amla: AMLA (amla_impl.h) without hooks.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/vector/attention_ub.h"

#include "kernels/attention/amla_impl.h"

void cube_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem, false);
  const attention_output_t output = amla_output(&problem);
  attention_cube(&problem, &output);
}

void vector_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem, false);
  attention_vector(&problem, &amla_vector);
}
