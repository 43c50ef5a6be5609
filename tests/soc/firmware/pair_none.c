// A flag for the other AI core of a pair, in a run that is not one of pairs.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_args.h"

void cube_main(void) { pair_set_flag(PIPE_FIX, 5); }

void vector_main(void) {}
