// From reset to the kernel's entry point.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

_Noreturn void boot_main(void);

__attribute__((weak)) void cube_main(void) {}
__attribute__((weak)) void vector_main(void) {}
__attribute__((weak)) void engine_main(void) {}
_Static_assert(CORE_KIND_COUNT == 3, "each kind of core has an entry point here");

// Calls are written out, so that a backtrace shows a line of this file.
_Noreturn void boot_main(void) {
  switch (hal_read(REG_CORE_KIND)) {
    case CORE_CUBE:
      cube_main();
      break;
    case CORE_VECTOR:
      vector_main();
      break;
    default:
      engine_main();
      break;
  }
  hal_halt(0);
  for (;;) {  // the machine stops at the register write
  }
}
