// The cube core reads what a vector core may not have stored yet.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  data_copy_gm_to_l1(.gm = args->o, .gm_pitch = 32, .l1 = 0, .rows = 1, .cols = 16);
}

void vector_main(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  if (hal_read(REG_SUB_INDEX) == 0) {
    data_copy_ub_to_gm(.ub = 0, .ub_pitch = 32, .gm = args->o, .gm_pitch = 32, .rows = 1, .row_bytes = 32,
                       .op = GM_STORE);
  }
}
