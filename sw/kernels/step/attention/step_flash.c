// ATTENTION in kernel step_flash: FlashAttention for heads of their own.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/cube/attention_cube.h"
#include "kernels/flash/flash_vector.h"
#include "kernels/step/step.h"
#include "lib/panic.h"

static void read(flash_problem_t *problem, const step_attention_args_t *args) {
  require(args->kind == STEP_ATTENTION_HEADS, PANIC_ARGUMENTS);
  problem->args = hal_gm(args->args);
  attention_problem_read(&problem->attention, true);
}

void step_attention_cube(const step_attention_args_t *args) {
  flash_problem_t problem;
  read(&problem, args);
  const attention_output_t output = {
      .gm = problem.attention.args.t, .op = GM_STORE, .each_flag = FLAG_T_READY, .last_flag = FLAG_T_READY};
  attention_cube(&problem.attention, &output);
}

void step_attention_vector(const step_attention_args_t *args) {
  flash_problem_t problem;
  read(&problem, args);
  attention_vector(&problem.attention, NULL);
}
