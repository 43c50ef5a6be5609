// The arrays of a simulation in global memory, in the order in which they are placed.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ARRAYS_H
#define AMALGAM_KERNEL_ARRAYS_H

#include "soc/soc.h"

enum { KERNEL_ARRAYS_MAX = 12, KERNEL_NO_ARRAY = KERNEL_ARRAYS_MAX };

typedef struct kernel_arrays {
  soc_buffer_t list[KERNEL_ARRAYS_MAX];
  size_t count;
} kernel_arrays_t;

// Returns the index, KERNEL_NO_ARRAY for one of no bytes, which the problem does not have.
static inline size_t kernel_array_add(kernel_arrays_t *arrays, soc_buffer_t buffer) {
  if (buffer.bytes == 0) {
    return KERNEL_NO_ARRAY;
  }
  arrays->list[arrays->count] = buffer;
  return arrays->count++;
}

static inline size_t kernel_array_input(kernel_arrays_t *arrays, const char *name, const void *data, size_t bytes) {
  return kernel_array_add(arrays, (soc_buffer_t){.name = name, .bytes = bytes, .init = data, .read_only = true});
}

static inline size_t kernel_array_workspace(kernel_arrays_t *arrays, const char *name, size_t bytes) {
  return kernel_array_add(arrays, (soc_buffer_t){.name = name, .bytes = bytes});
}

// What it holds, for those who name its elements; pitch as in soc_buffer_t.
static inline void kernel_array_shape(kernel_arrays_t *arrays, size_t index, unsigned type, uint64_t rows,
                                      uint64_t cols, uint64_t pitch) {
  if (index != KERNEL_NO_ARRAY) {
    soc_buffer_t *array = &arrays->list[index];
    array->type = type;
    array->dims = 2;
    array->shape[0] = rows;
    array->shape[1] = cols;
    array->pitch = pitch;
  }
}

// 0: there is none.  Known once the arrays are placed (soc_place).
static inline uint64_t kernel_array_address(const kernel_arrays_t *arrays, size_t index) {
  return index == KERNEL_NO_ARRAY ? 0 : arrays->list[index].address;
}

#endif
