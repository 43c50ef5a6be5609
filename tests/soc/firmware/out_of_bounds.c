// Loads rows beyond the end of K.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  data_copy_gm_to_l1(.gm = args->k, .gm_pitch = args->k_pitch, .l1 = 0, .rows = args->keys + 1, .cols = 16);
}

void vector_main(void) {}
