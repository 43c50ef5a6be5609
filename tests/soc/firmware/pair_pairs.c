// AI cores of two pairs meet; a flag of a pair is not for them.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

void cube_main(void) {}

void vector_main(void) {
  const fp8_args_t *args = hal_gm(hal_read(REG_ARGS));
  if (hal_read(REG_PAIR_SIDE) == 0 && hal_read(REG_SUB_INDEX) == 0) {
    data_copy_ub_to_gm(.ub = 0, .ub_pitch = 64, .gm = args->kv, .gm_pitch = 64, .rows = 1, .row_bytes = 64,
                       .op = GM_STORE);
  }
}
