// Gives up.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void engine_main(void) { hal_halt(7); }
