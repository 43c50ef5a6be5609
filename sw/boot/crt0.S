# Start of a scalar core: stack, then the entry point of this kind of core, then halt.
# There is no data to copy and no bss to clear: firmware.ld refuses both, since cores that run the
# same code (natively, the same object) must not share state.
# SPDX-License-Identifier: Apache-2.0

  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  la sp, stack_top
  call boot_main            # never returns
1:
  j 1b
  .size _start, . - _start
