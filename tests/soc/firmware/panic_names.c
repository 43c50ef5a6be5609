// Three checks in one line, of which that by a name of its own fails.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "lib/panic.h"

enum { TOO_MANY = 70 };

void cube_main(void) {
  volatile uint32_t found = 3;
  require(found > 0, PANIC_ARGUMENTS);
  require(found < 3, TOO_MANY);
  require(found > 1, PANIC_MACHINE);
}

void vector_main(void) {}
