// Leaves a flag up in the other AI core of the pair.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

void cube_main(void) {}

void vector_main(void) { pair_set_flag(PIPE_MTE3, 5); }
