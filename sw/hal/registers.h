// The scalar core's view of the machine: memory map and registers.  Shared by firmware and model.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_HAL_REGISTERS_H
#define AMALGAM_SW_HAL_REGISTERS_H

//   0x1008_0000  registers (4 KiB)
//   0x1008_1000  the window, into which commands are written (4 KiB)
//   0x8000_0000  private RAM: program, data, stack
//   0x40_0000_0000  global memory; the core's window shows the kernel's arguments and arrays of numbers, read only
#define SCALAR_MMIO_BASE 0x10080000ull
#define SCALAR_MMIO_SIZE 0x1000ull
#define SCALAR_RAM_BASE 0x80000000ull
#define GM_BASE 0x4000000000ull

enum scalar_register {
#define REG(name, offset, access, text) REG_##name = (offset),
#include "hal/registers.def"
#undef REG
};

#endif
