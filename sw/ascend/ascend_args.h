// Arguments of an Ascend C kernel that `amalgam run ascend` starts, and what its ELF file says of them.
// Both sides include this: the layer (ascendc/launch.h) in C++, the host (model/kernel/ascend) in C.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_ASCEND_ARGS_H
#define AMALGAM_SW_ASCEND_ASCEND_ARGS_H

#include <stdint.h>

enum {
  ASCEND_SLOTS = 96,   // of 8 bytes: an argument takes one, a structure as many as it needs
  ASCEND_PARAMS = 48,  // of a kernel
  ASCEND_NAME = 64,    // bytes of a name, with the zero at its end
  ASCEND_MAGIC = 0x43647341,
};

typedef struct ascend_args {
  uint32_t entry;   // which of the file's kernels, ascend_kernel_t.entry
  uint32_t blocks;  // that it is launched with
  uint64_t slot[ASCEND_SLOTS];
} ascend_args_t;

enum ascend_kind { ASCEND_POINTER, ASCEND_SIGNED, ASCEND_UNSIGNED, ASCEND_FLOAT, ASCEND_STRUCT };

typedef struct ascend_param {
  uint32_t kind;   // ASCEND_*
  uint32_t bytes;  // of its type
  char name[ASCEND_NAME];
} ascend_param_t;

// One for each kernel in section .ascend.
typedef struct ascend_kernel {
  uint32_t magic;
  uint32_t entry;
  uint32_t params;
  uint32_t cores;  // 1: a block is an AI core; 0: a vector core
  char name[ASCEND_NAME];
  ascend_param_t param[ASCEND_PARAMS];
} ascend_kernel_t;

#endif
