// printf for looking at a kernel: lines on the simulator's stderr, with the core's name before them.
//
//   debug_printf("block %u of %u, row at 0x%lx\n", block, blocks, address);
//   cube0: block 3 of 16, row at 0x4000012000
//
// %d %i %u %x %c %s %p %%, with l, ll or z, a width, and '0' or '-' before it; nothing of floating
// point.  A line appears when it is complete, or the program ends; lines of several cores come in no
// particular order.
//
// It takes the time that it takes: each character is an access to a register, some 15 instructions and
// scalar.push_cycles.  A line of 42 characters with two numbers in it is 616 instructions, 780 cycles, in
// which the core pushes nothing: leave it out of what is measured.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_LIB_DEBUG_PRINTF_H
#define AMALGAM_SW_LIB_DEBUG_PRINTF_H

__attribute__((format(printf, 1, 2))) void debug_printf(const char *format, ...);

#endif
