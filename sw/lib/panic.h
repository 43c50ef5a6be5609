// How firmware gives up: the run ends with this code.
// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_PANIC_H
#define LIB_PANIC_H

#include <stdbool.h>

#include "hal/hal.h"

enum panic_code {
  PANIC_ARGUMENTS = 1,  // the kernel's arguments are outside of its limits
  PANIC_MACHINE = 2,    // the kernel needs more cores or buffers than there are
};

// Ends this core's program unless ok.
static inline void require(bool ok, enum panic_code code) {
  if (!ok) {
    hal_halt(code);
    for (;;) {  // the machine stops at the register write
    }
  }
}

#endif
