// Reads what a vector core of the other AI core of the pair writes.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

void cube_main(void) {
  const fp8_args_t *args = hal_gm(hal_read(REG_ARGS));
  if (hal_read(REG_PAIR_SIDE) == 1) {
    data_copy_gm_to_l1(.gm = args->kv, .gm_pitch = 64, .l1 = 0, .rows = 1, .cols = 32);
  }
}

void vector_main(void) {
  const fp8_args_t *args = hal_gm(hal_read(REG_ARGS));
  if (hal_read(REG_PAIR_SIDE) == 0 && hal_read(REG_SUB_INDEX) == 0) {
    data_copy_ub_to_gm(.ub = 0, .ub_pitch = 64, .gm = args->kv, .gm_pitch = 64, .rows = 1, .row_bytes = 64,
                       .op = GM_STORE);
  }
}
