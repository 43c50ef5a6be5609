// Leaves a cross-core flag up.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/attention/attention_args.h"

void cube_main(void) { cross_core_set_flag(PIPE_FIX, 5); }

void vector_main(void) {}
