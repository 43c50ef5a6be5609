// From reset to the kernel's entry point.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

_Noreturn void boot_main(void);

_Noreturn void boot_main(void) {
  if (hal_read(REG_CORE_KIND) == 0) {
    cube_main();
  } else {
    vector_main();
  }
  hal_halt(0);
  for (;;) {  // the machine stops at the register write
  }
}
