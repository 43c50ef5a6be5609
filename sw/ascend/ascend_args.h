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
  ASCEND_MESSAGE = 256,
  ASCEND_TILE = 128 * 1024,  // what L0C holds
  ASCEND_MAGIC = 0x43647343,
};

typedef struct ascend_args {
  uint32_t entry;   // which of the file's kernels, ascend_kernel_t.entry
  uint32_t blocks;  // that it is launched with
  // Of the layer, if a block is an AI core: addresses of ASCEND_MESSAGE and ASCEND_TILE bytes for each.
  uint64_t messages, tiles;
  uint64_t slot[ASCEND_SLOTS];
} ascend_args_t;

// What a block is: a vector core; an AI core with all of its cores; one with a cube core and one vector core.
enum ascend_cores { ASCEND_VECTOR_CORE, ASCEND_AI_CORE, ASCEND_PAIR_CORE };

enum ascend_kind { ASCEND_POINTER, ASCEND_SIGNED, ASCEND_UNSIGNED, ASCEND_FLOAT, ASCEND_STRUCT };

typedef struct ascend_param {
  uint32_t kind;   // ASCEND_*
  uint32_t bytes;  // of its type
  uint32_t type;   // of what a pointer points to, TYPE_* + 1; 0: bytes, which may be anything
  char name[ASCEND_NAME];
} ascend_param_t;

// One for each kernel in section .ascend.
typedef struct ascend_kernel {
  uint32_t magic;
  uint32_t entry;
  uint32_t params;
  uint32_t cores;  // ASCEND_*_CORE
  char name[ASCEND_NAME];
  ascend_param_t param[ASCEND_PARAMS];
} ascend_kernel_t;

#endif
