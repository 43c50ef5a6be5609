# The four functions that a compiler may call though the kernel does not, instead of a C library.
# A byte a step: they are for small structures, data moves by commands. In assembly, so that a kernel's
# cycles do not depend on how a compiler would unroll them.
# SPDX-License-Identifier: Apache-2.0

.macro function name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
\name:
.endm

# void *memset(void *to, int value, size_t bytes)
function memset
  mv t1, a0
  beqz a2, 2f
1:
  sb a1, 0(t1)
  addi a2, a2, -1
  addi t1, t1, 1
  bnez a2, 1b
2:
  ret
  .size memset, . - memset

# void *memmove(void *to, const void *from, size_t bytes): from the end if `to` lies above `from`
function memmove
  bgtu a0, a1, 1f
  tail memcpy
1:
  beqz a2, 2f
  addi a2, a2, -1
  add t1, a1, a2
  lbu t0, 0(t1)
  add t1, a0, a2
  sb t0, 0(t1)
  j 1b
2:
  ret
  .size memmove, . - memmove

# void *memcpy(void *to, const void *from, size_t bytes)
function memcpy
  mv t1, a0
  beqz a2, 2f
1:
  lbu t0, 0(a1)
  sb t0, 0(t1)
  addi a2, a2, -1
  addi a1, a1, 1
  addi t1, t1, 1
  bnez a2, 1b
2:
  ret
  .size memcpy, . - memcpy

# int memcmp(const void *a, const void *b, size_t bytes)
function memcmp
1:
  beqz a2, 2f
  lbu t0, 0(a0)
  lbu t1, 0(a1)
  addi a2, a2, -1
  addi a0, a0, 1
  addi a1, a1, 1
  beq t0, t1, 1b
  sub a0, t0, t1
  ret
2:
  li a0, 0
  ret
  .size memcmp, . - memcmp
