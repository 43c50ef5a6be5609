// For the C model: blocks of 16 by 16 elements of two bytes, transposed in vector registers.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_TRANSPOSE_H
#define AMALGAM_NUM_NUM_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "num/num_isa.h"

enum { NUM_BLOCK = 16, NUM_BLOCK_ELEMENTS = NUM_BLOCK * NUM_BLOCK };

// Interleaves the halves of 256 elements: the 8 bits of an element's index turn left by one.
NUM_INLINE void num_interleave(const uint16_t *restrict x, uint16_t *restrict y) {
  for (size_t i = 0; i < NUM_BLOCK_ELEMENTS / 2; ++i) {
    y[2 * i] = x[i];
    y[2 * i + 1] = x[i + NUM_BLOCK_ELEMENTS / 2];
  }
}

// In place: four turns exchange the bits of row and column.
NUM_INLINE void num_transpose_block(uint16_t x[NUM_BLOCK_ELEMENTS]) {
  uint16_t y[NUM_BLOCK_ELEMENTS];
  num_interleave(x, y);
  num_interleave(y, x);
  num_interleave(x, y);
  num_interleave(y, x);
}

#endif  // AMALGAM_NUM_NUM_TRANSPOSE_H
