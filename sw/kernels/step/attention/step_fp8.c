// ATTENTION in kernel step_fp8: AMLA over an FP8 cache.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fp8/fp8_amla.h"
#include "kernels/step/step.h"
#include "lib/panic.h"

static void read(fp8_problem_t *problem, const step_attention_args_t *args) {
  require(args->kind == STEP_ATTENTION_FP8, PANIC_ARGUMENTS);
  problem->args = hal_gm(args->args);
  attention_problem_read(&problem->attention, false);
}

void step_attention_cube(const step_attention_args_t *args) {
  fp8_problem_t problem;
  read(&problem, args);
  const attention_output_t output = amla_output(&problem.attention);
  attention_cube(&problem.attention, &output);
}

void step_attention_vector(const step_attention_args_t *args) {
  fp8_problem_t problem;
  read(&problem, args);
  attention_vector(&problem.attention, &amla_vector);
}
