// Loads over a buffer that the vector pipe may still read.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) {}

static void load(uint64_t gm) {
  data_copy_gm_to_ub(.gm = gm, .gm_pitch = 32, .ub = 0, .ub_pitch = 32, .rows = 1, .row_bytes = 32);
}

void vector_main(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  load(args->q);
  set_flag(PIPE_MTE2, PIPE_V, 0);
  wait_flag(PIPE_MTE2, PIPE_V, 0);
  vector_op(.op = VOP_EXP, .rows = 1, .cols = 8, .dst = 64, .dst_pitch = 32, .a = 0, .a_pitch = 32);
  load(args->q);
}
