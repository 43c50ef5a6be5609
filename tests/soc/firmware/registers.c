// Accesses to registers that are none, and an interrupt that never comes: argument 0 of the kernel says which
// (RV64 only: the host has calls instead of registers).
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"

#ifdef __riscv
static uint64_t access(int32_t what) {
  const uint64_t base = SCALAR_MMIO_BASE, putc = base + REG_PUTC;
  uint64_t value = 0;
  switch (what) {
    case 0:
      __asm__ volatile("sb zero, 0(%0)" ::"r"(putc));
      break;
    case 1:
      __asm__ volatile("sh zero, 0(%0)" ::"r"(putc));
      break;
    case 2:
      __asm__ volatile("sw zero, 2(%0)" ::"r"(putc));
      break;
    case 3:
      __asm__ volatile("lbu %0, 0(%1)" : "=r"(value) : "r"(base + REG_CORE_INDEX));
      break;
    case 4:
      __asm__ volatile("ld %0, 2(%1)" : "=r"(value) : "r"(base + REG_CORE_INDEX));
      break;
    case 5:
      __asm__ volatile("lhu %0, 4(%1)" : "=r"(value) : "r"(base + REG_CORE_INDEX));
      break;
    case 6:
      __asm__ volatile("lw %0, 0(%1)" : "=r"(value) : "r"(base + REG_PUSH));
      break;
    case 7:
      __asm__ volatile("sw zero, 0(%0)" ::"r"(base + REG_CORE_INDEX));
      break;
    case 8:
      __asm__ volatile("sw zero, 0(%0)" ::"r"(base + 0xFFC));
      break;
    case 9:
      __asm__ volatile("wfi");
      break;
    case 10:
      __asm__ volatile("lw %0, 2(%1)" : "=r"(value) : "r"(base + REG_CORE_INDEX));
      break;
    case 11:
      __asm__ volatile("c.ld %0, 8(%1)" : "=&r"(value) : "r"(base + REG_CORE_INDEX - 4));
      break;
    default:  // what is allowed: words and double words, and bytes of the window
      __asm__ volatile("lw %0, 4(%1); ld %0, 8(%1); mv a5, %1; c.ld a4, 8(a5); c.ld a5, 8(a5)"
                       : "=&r"(value)
                       : "r"(base + REG_CORE_INDEX)
                       : "a4", "a5");
      // Left in the window, of which a second launch begins with zeros: its flag's event is one.
      order_pipes(PIPE_MTE2, PIPE_MTE1, 0);
      __asm__ volatile("sw %1, 0(%0); sb zero, 1(%0)" ::"r"(base + REG_WINDOW + offsetof(cmd_set_flag_t, event)),
                       "r"(-1L));
      __asm__ volatile("sd zero, 0(%0)" ::"r"(base + REG_WINDOW));
  }
  return value;
}
#endif

void cube_main(void) {
#ifdef __riscv
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  access(args->param[0].whole);
#endif
}

void vector_main(void) {}
