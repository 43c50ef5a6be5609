// Waits for the other AI core of the pair; vector cores of its own do not count.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

void cube_main(void) { pair_wait_flag(PIPE_MTE2, 5); }

void vector_main(void) { cross_core_set_flag(PIPE_MTE3, 5); }
