// A scalar core waits for what its own later commands would allow.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void cube_main(void) {
  wait_flag(PIPE_MTE1, PIPE_MTE2, 3);
  read_gm(hal_read(REG_ARGS), 4);
  set_flag(PIPE_MTE1, PIPE_MTE2, 3);
}
