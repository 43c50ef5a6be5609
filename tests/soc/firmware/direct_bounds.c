// Writes beyond the cube core's L1; on a machine without the direct path it may not at all.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void cube_main(void) {}

void vector_main(void) {
  data_copy_ub_to_l1(.ub = 0, .ub_pitch = 512, .l1 = 511 * 1024, .l1_pitch = 512, .rows = 16, .cols = 256);
}
