// AI core 0 reads what core 1 writes after a SYNC_ALL: as it was before the launch.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"

void cube_main(void) {}

void vector_main(void) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  const uint32_t bytes = (uint32_t)args->out.bytes;
  if (hal_read(REG_SUB_INDEX) != 0 || hal_read(REG_CORE_INDEX) != 1) {
    data_copy_gm_to_ub(.gm = args->out.gm, .ub = 0, .rows = 1, .row_bytes = bytes);
    set_flag(PIPE_MTE2, PIPE_MTE3, 0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, 0);
    sync_all(PIPE_MTE3);
    return;
  }
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = bytes / 4, .dst = 0, .dst_pitch = bytes, .scalar = 0x3f800000,
            .b_kind = OPERAND_SCALAR);
  set_flag(PIPE_V, PIPE_MTE3, 0);
  wait_flag(PIPE_V, PIPE_MTE3, 0);
  sync_all(PIPE_MTE3);
  data_copy_ub_to_gm(.ub = 0, .gm = args->out.gm, .rows = 1, .row_bytes = bytes, .op = GM_STORE);
}
