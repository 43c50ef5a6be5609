// From reset to the kernel's entry point.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

_Noreturn void boot_main(void);

#define CORE_KIND(NAME, name, text, groups, each) \
  __attribute__((weak)) void name##_main(void) {}
#include "hal/core_kinds.def"
#undef CORE_KIND

_Noreturn void boot_main(void) {
  const uint64_t kind = hal_read(REG_CORE_KIND);
#define CORE_KIND(NAME, name, text, groups, each) \
  if (kind == CORE_##NAME) {                      \
    name##_main();                                \
  } else
#include "hal/core_kinds.def"
#undef CORE_KIND
  { __builtin_unreachable(); }
  hal_halt(0);
  for (;;) {  // the machine stops at the register write
  }
}
