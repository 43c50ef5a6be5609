// Writes code into RAM behind its own, calls it, writes other code there, and calls that (RV64 only).
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"

#ifdef __riscv
enum { BEHIND = 0x30000, LI_A0 = 0x00000513, RET = 0x00008067 };

static uint64_t written(uint32_t number) {
  volatile uint32_t *code = (volatile uint32_t *)(SCALAR_RAM_BASE + BEHIND);
  code[0] = LI_A0 | number << 20;
  code[1] = RET;
  __asm__ volatile(".option push; .option arch, +zifencei; fence.i; .option pop" ::: "memory");
  return ((uint64_t(*)(void))(SCALAR_RAM_BASE + BEHIND))();
}
#endif

void cube_main(void) {
#ifdef __riscv
  uint64_t all = 0;
  for (uint32_t i = 1; i <= 4; ++i) {
    all = 3 * all + written(i);
  }
  hal_halt(all);
#endif
}

void vector_main(void) {}
