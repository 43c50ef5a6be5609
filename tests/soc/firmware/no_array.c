// Loads from where there is no array: behind the last one.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void cube_main(void) {
  data_copy_gm_to_l1(.gm = GM_BASE + (UINT64_C(1) << 39), .gm_pitch = 32, .l1 = 0, .rows = 1, .cols = 16);
}

void vector_main(void) {}
