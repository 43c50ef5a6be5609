// Kernel flash: FlashAttention for heads of their own, MHA, GQA and MQA.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/cube/attention_cube.h"
#include "kernels/flash/flash_vector.h"

void cube_main(void) {
  flash_problem_t problem;
  attention_problem_read(&problem.attention, true);
  const attention_output_t output = {
      .gm = problem.attention.args.t, .op = GM_STORE, .each_flag = FLAG_T_READY, .last_flag = FLAG_T_READY};
  attention_cube(&problem.attention, &output);
}

void vector_main(void) {
  flash_problem_t problem;
  attention_problem_read(&problem.attention, true);
  attention_vector(&problem.attention, NULL);
}
