// Multiplies what may not have arrived in L0A.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  data_copy_gm_to_l1(.gm = args->k, .gm_pitch = args->k_pitch, .l1 = 0, .rows = 1, .cols = 16);
  load_data_a(.l1 = 0, .l1_pitch = 512, .l0a = 0, .m = 1, .k = 16);
}

void vector_main(void) {}
