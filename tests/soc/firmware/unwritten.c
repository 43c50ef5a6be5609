// Sums of the rows of an FP32 array [4][8], in tiles with 16 columns. The first number given chooses what is wrong.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"

enum { RIGHT, TAIL, WIDE, OTHER_PLACE, NOTHING, SHORT };
enum { IN = 0, POWERS = 1024, SUMS = 2048, ROWS = 4, COLS = 8, PITCH = 64 };

void cube_main(void) {}

void vector_main(void) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  if (hal_read(REG_SUB_INDEX) != 0) {
    return;
  }
  const int wrong = args->param[0].whole;
  data_copy_gm_to_ub(.gm = args->in[0].gm, .gm_pitch = 4 * COLS, .ub = IN, .ub_pitch = PITCH,
                     .rows = wrong == TAIL ? ROWS - 1 : ROWS, .row_bytes = 4 * COLS);
  set_flag(PIPE_MTE2, PIPE_V, 0);
  wait_flag(PIPE_MTE2, PIPE_V, 0);
  // The padding is computed on, too, and then thrown away.
  vector_op(.op = VOP_EXP, .rows = ROWS, .cols = 16, .dst = POWERS, .dst_pitch = PITCH,  // read
            .a = IN, .a_pitch = PITCH);
  vector_op(.op = VOP_ROW_SUM, .rows = ROWS, .cols = wrong == WIDE ? 16 : COLS, .dst = SUMS, .a = POWERS,
            .a_pitch = PITCH);
  set_flag(PIPE_V, PIPE_MTE3, 0);
  wait_flag(PIPE_V, PIPE_MTE3, 0);
  if (wrong == NOTHING) {
    return;
  }
  data_copy_ub_to_gm(.ub = wrong == OTHER_PLACE ? SUMS + 32 : SUMS, .ub_pitch = 32, .gm = args->out.gm,  // store
                     .gm_pitch = 16, .rows = 1, .row_bytes = wrong == SHORT ? 12 : 16, .op = GM_STORE);
}
