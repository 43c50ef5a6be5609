// Raises a flag twice without a wait.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) {
  set_flag(PIPE_MTE2, PIPE_MTE1, 0);
  set_flag(PIPE_MTE2, PIPE_MTE1, 0);
}

void vector_main(void) {}
