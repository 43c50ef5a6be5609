// Writes an input.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) {}

void vector_main(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  data_copy_ub_to_gm(.ub = 0, .ub_pitch = 32, .gm = args->q, .gm_pitch = 32, .rows = 1, .row_bytes = 32,
                     .op = GM_STORE);
}
