// Prints, and gives up in a function that another one calls.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "lib/debug_printf.h"
#include "lib/panic.h"

__attribute__((noinline)) static void innermost(uint32_t depth) {
  require(depth != 3, PANIC_MACHINE);
  hal_write(REG_PUTC, '.');
}

__attribute__((noinline)) static void middle(uint32_t depth) {
  for (uint32_t i = 0; i < 2; ++i) {
    innermost(depth + i);
  }
  hal_write(REG_PUTC, ',');  // no call is the last thing done: it would leave no frame
}

void cube_main(void) {
  debug_printf("%d %5d|%-5u|%05x|%x\n", -1, -42, 7u, 0xBEEFu, 0xFFFFFFFFu);
  debug_printf("%ld %lu 0x%016lx %s%c %%\n", -1234567890123L, 18446744073709551615UL, 0x123456789ABL, "text", '!');
  debug_printf("%8s|%-8s|%c|%zu|%p\n", "right", "left", 'x', (size_t)9, (void *)0x10);
  debug_printf("unfinished");
  middle(2);
  debug_printf("never\n");
}

void vector_main(void) { debug_printf("vector %u\n", (unsigned)hal_read(REG_SUB_INDEX)); }
