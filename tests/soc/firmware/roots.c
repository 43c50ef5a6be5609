// out = 1 / sqrt(|1 / x|) of an FP32 array [8]: operations that the other kernels lack, one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"

enum { X = 0, RECIPROCAL = 32, SIZE = 64, ROOT = 96, COLS = 8 };

void cube_main(void) {}

void vector_main(void) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  if (hal_read(REG_SUB_INDEX) != 0) {
    return;
  }
  data_copy_gm_to_ub(.gm = args->in[0].gm, .ub = X, .ub_pitch = 32, .rows = 1, .row_bytes = 4 * COLS);
  set_flag(PIPE_MTE2, PIPE_V, 0);
  wait_flag(PIPE_MTE2, PIPE_V, 0);
  vector_op(.op = VOP_RECIP, .rows = 1, .cols = COLS, .dst = RECIPROCAL, .a = X);
  vector_op(.op = VOP_ABS, .rows = 1, .cols = COLS, .dst = SIZE, .a = RECIPROCAL);
  vector_op(.op = VOP_RSQRT, .rows = 1, .cols = COLS, .dst = ROOT, .a = SIZE);
  set_flag(PIPE_V, PIPE_MTE3, 0);
  wait_flag(PIPE_V, PIPE_MTE3, 0);
  data_copy_ub_to_gm(.ub = ROOT, .gm = args->out.gm, .rows = 1, .row_bytes = 4 * COLS, .op = GM_STORE);
}
