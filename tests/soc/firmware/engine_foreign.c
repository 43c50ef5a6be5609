// A vector core's command.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void engine_main(void) { vector_op(.op = VOP_ADD, .rows = 1, .cols = 1); }
