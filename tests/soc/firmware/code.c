// Writes its own code, which the file says cannot be written (RV64 only: a native build would take the simulator down).
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

void cube_main(void) { *(volatile uint32_t *)(uintptr_t)cube_main = 0; }

void vector_main(void) {}
