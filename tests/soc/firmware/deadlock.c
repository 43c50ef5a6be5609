// MTE1 waits for a flag nobody raises.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) { wait_flag(PIPE_MTE2, PIPE_MTE1, 3); }

void vector_main(void) {}
