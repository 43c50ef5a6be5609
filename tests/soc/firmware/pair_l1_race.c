// The cube core reads from its L1 what a vector core of the other AI core of the pair may still be writing
// there; in a run that is not one of pairs that core may not at all.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void cube_main(void) {
  if (hal_read(REG_CORE_INDEX) == 0) {
    load_data_b(.l1 = 512, .l1_pitch = 512, .l0b = 0, .k = 16, .n = 16);
  }
}

void vector_main(void) {
  if (hal_read(REG_CORE_INDEX) == 1 && hal_read(REG_SUB_INDEX) == 0) {
    data_copy_ub_to_l1(.ub = 0, .ub_pitch = 512, .l1 = 0, .l1_pitch = 512, .rows = 16, .cols = 256, .pair = 1);
  }
}
