// Panics, with which firmware gives up: the run ends, and its message says code, clause and line.
//
//   require(rows <= 64);                      // panic REQUIRED
//   require(rows <= 64, PANIC_ARGUMENTS);     // panic of that name (hal/panics.def)
//
//   vector0_0 firmware panic ARGUMENTS: the kernel's arguments are outside of its limits: require(rows <= 64,
//   PANIC_ARGUMENTS) at k.c:12 (vector_main)
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_LIB_PANIC_H
#define AMALGAM_SW_LIB_PANIC_H

#include <stdbool.h>

#include "hal/hal.h"

enum panic_code {
#define PANIC(name, code, text) PANIC_##name = (code),
#include "hal/panics.def"
#undef PANIC
};

// Leaves the text of what may panic in this line in the file's section .require, where the simulator looks it up by
// file, line and code. It is no part of the program, so that it takes neither its time nor its memory.
#define PANIC_TEXT(code, text)                                                             \
  static const char panic_text_[] __attribute__((section(".require"), used, aligned(1))) = \
      __FILE__ ":" PANIC_NUMBER(__LINE__) " " #code " " text
#define PANIC_NUMBER(line) PANIC_DIGITS(line)
#define PANIC_DIGITS(line) #line

// Ends this core's program unless ok.
static inline void panic_unless(bool ok, uint32_t code) {
  if (!ok) {
    hal_halt(code);
    for (;;) {  // the machine stops at the register write
    }
  }
}

// Ends this core's program unless the clause, a condition and perhaps a code, holds.
#define require(...) REQUIRE_CLAUSE("require(" #__VA_ARGS__ ")", __VA_ARGS__, PANIC_REQUIRED, )
#define REQUIRE_CLAUSE(text, condition, code, ...) \
  do {                                             \
    PANIC_TEXT(code, text);                        \
    panic_unless(condition, code);                 \
  } while (0)

// Ends this core's program; text, a literal, is what the message adds to the code's meaning.
#define panic(code, text)      \
  do {                         \
    PANIC_TEXT(code, text);    \
    panic_unless(false, code); \
  } while (0)

#endif
