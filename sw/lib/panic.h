// How firmware gives up: the run ends, and its message says code, clause and line.
//
//   require(rows <= 64);                      // panic REQUIRED
//   require(rows <= 64, PANIC_ARGUMENTS);     // panic of that name (hal/panics.def)
//
//   vector0_0 firmware panic ARGUMENTS: the kernel's arguments are outside of its limits: require(rows <= 64, PANIC_ARGUMENTS) at k.c:12 (vector_main)
// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_PANIC_H
#define LIB_PANIC_H

#include <stdbool.h>

#include "hal/hal.h"

enum panic_code {
#define PANIC(name, code, text) PANIC_##name = (code),
#include "hal/panics.def"
#undef PANIC
};

// Ends this core's program; text: what the run's message adds to the code's meaning.
__attribute__((always_inline)) static inline void panic(uint32_t code, const char *text) {
  hal_write(REG_PANIC_TEXT, (uint64_t)(uintptr_t)text);
  hal_halt(code);
  for (;;) {  // the machine stops at the register write
  }
}

// Ends this core's program unless the clause, a condition and perhaps a code, holds.
#define require(...) REQUIRE_CLAUSE("require(" #__VA_ARGS__ ")", __VA_ARGS__, PANIC_REQUIRED, )
#define REQUIRE_CLAUSE(text, condition, code, ...) \
  do {                                             \
    if (!(condition)) {                            \
      panic(code, text);                           \
    }                                              \
  } while (0)

#endif
