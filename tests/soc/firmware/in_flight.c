// Pipes that wait for atomics of their own: in a barrier, and with a mark.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

static void store(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  data_copy_ub_to_gm(.ub = 0, .ub_pitch = 64, .gm = args->out + 2048 * hal_read(REG_SUB_INDEX), .gm_pitch = 64,
                     .rows = 32, .row_bytes = 64, .op = GM_ADD_F32);
}

void cube_main(void) {}

void vector_main(void) {
  store();
  if (hal_read(REG_SUB_INDEX) == 0) {
    mark(PIPE_MTE3, 7);
  } else {
    pipe_barrier(PIPE_MTE3);
  }
}
