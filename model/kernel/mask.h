// The keys that a query row sees: masks from files, and the bits that kernels read.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_MASK_H
#define AMALGAM_KERNEL_MASK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// The shape of a mask: rows x keys, its rows in the file along at most so many axes.
typedef struct mask_shape {
  size_t rows, keys, row_axes;
} mask_shape_t;

// Reads a mask [rows,S], or [S] and [1,S] for all rows alike: in '|b1' and '|u1' those that are not 0 take part; in
// '<f4' 0 means yes and -inf no. *visible [*mask_rows][keys], nonzero: takes part; mask_rows is rows or 1. The caller
// frees it.
bool mask_read(const char *path, mask_shape_t shape, uint8_t **visible, size_t *mask_rows, base_error_t *error);

// [rows][keys] as bits, lowest first, rows `pitch` bytes apart, bits past the last key 0. The caller frees it; NULL:
// out of memory.
uint8_t *mask_pack(const uint8_t *visible, size_t rows, size_t keys, size_t pitch);

#endif
