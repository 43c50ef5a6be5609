// The arrays of a simulation in global memory, in the order in which they are placed.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ARRAYS_H
#define AMALGAM_KERNEL_ARRAYS_H

#include "soc/soc.h"

enum { KERNEL_ARRAYS_MAX = 16 };

typedef struct kernel_arrays {
  soc_buffer_t list[KERNEL_ARRAYS_MAX];
  uint64_t *address[KERNEL_ARRAYS_MAX];  // of the kernel's arguments
  size_t count;
} kernel_arrays_t;

// Members of a soc_buffer_t: an input, and what the array holds, for those who name its elements.
#define KERNEL_INPUT(of, data) .name = (of), .init = (data), .read_only = true
#define KERNEL_MATRIX(kind, rows, cols) .type = (kind), .dims = 2, .shape = {(rows), (cols)}

// Adds an array whose address will be in *address. Without bytes it is one that the problem does not have: NULL, and an
// address of 0.
static inline soc_buffer_t *kernel_array(kernel_arrays_t *arrays, uint64_t *address, uint64_t bytes,
                                         soc_buffer_t buffer) {
  *address = 0;
  if (bytes == 0) {
    return NULL;
  }
  buffer.bytes = bytes;
  arrays->address[arrays->count] = address;
  arrays->list[arrays->count] = buffer;
  return &arrays->list[arrays->count++];
}

static inline void kernel_arrays_place(kernel_arrays_t *arrays) {
  soc_place(arrays->list, arrays->count);
  for (size_t i = 0; i < arrays->count; ++i) {
    *arrays->address[i] = arrays->list[i].address;
  }
}

#endif
