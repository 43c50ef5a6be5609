// Pushes with numbers of instructions between them that differ by what COUNTED_LOOPS says, and by nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "counted.h"
#include "hal/hal.h"

__attribute__((noinline)) static void push_after(uint64_t loops) {
#ifdef __riscv
  __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(loops));
#endif
  (void)loops;
  pipe_barrier(PIPE_M);
}

void cube_main(void) {
#define LOOPS(n) push_after(n);
  COUNTED_LOOPS
#undef LOOPS
  __asm__ volatile("");  // the last call is one like the others
}
