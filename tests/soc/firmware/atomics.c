// One operation of the memory on part of the result, in words of 32 bits: rows of --param 1 words from word
// --param 2 of the result's row on.  The result is in[0] at first; in[1] has the operands, a row for each
// of the result's, with GM_RESCALE one number for each.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"
#include "lib/tiling.h"

void cube_main(void) {}

void vector_main(void) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  const uint32_t op = (uint32_t)args->param[0].whole, words = (uint32_t)args->param[1].whole,
                 first = (uint32_t)args->param[2].whole;
  const uint32_t rows = args->out.shape[0], row_bytes = 4 * args->out.shape[1];
  const uint32_t operand_bytes = op == GM_RESCALE ? 4 : 4 * words;
  const uint32_t pitch = round_up(operand_bytes, 32), operands = round_up(rows * row_bytes, 32);
  if (hal_read(REG_SUB_INDEX) != 0) {
    return;
  }
  data_copy_gm_to_ub(.gm = args->in[0].gm, .ub = 0, .rows = 1, .row_bytes = rows * row_bytes);
  data_copy_gm_to_ub(.gm = args->in[1].gm, .gm_pitch = operand_bytes, .ub = operands, .ub_pitch = pitch,
                     .rows = op == GM_RESCALE ? 1 : rows, .row_bytes = op == GM_RESCALE ? 4 * rows : operand_bytes);
  set_flag(PIPE_MTE2, PIPE_MTE3, 0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, 0);
  data_copy_ub_to_gm(.ub = 0, .gm = args->out.gm, .rows = 1, .row_bytes = rows * row_bytes, .op = GM_STORE);
  pipe_barrier(PIPE_MTE3);
  data_copy_ub_to_gm(.ub = operands, .ub_pitch = pitch, .gm = args->out.gm + 4 * first, .gm_pitch = row_bytes,
                     .rows = rows, .row_bytes = 4 * words, .op = op);
}
