// Hexadecimal fields of the files between C and Icarus.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_HEX_H
#define AMALGAM_ENGINE_ENGINE_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "num/engine/num_triplet.h"

enum { ELEMENT_BITS = 17, HEX_BITS = 4 };

// A vector of bits, put together from its lowest end and written from its highest.
typedef struct hex_bits {
  uint8_t *nibble;
  size_t count;  // bits so far
} hex_bits_t;

static inline void hex_put(hex_bits_t *bits, uint32_t value, size_t width) {
  for (size_t i = 0; i < width; ++i, ++bits->count) {
    const unsigned bit = (value >> i) & 1u;
    uint8_t *nibble = &bits->nibble[bits->count / HEX_BITS];
    *nibble = (uint8_t)((bits->count % HEX_BITS == 0 ? 0u : *nibble) | bit << bits->count % HEX_BITS);
  }
}

// Writes the bits and forgets them.
static inline void hex_write(FILE *file, hex_bits_t *bits) {
  for (size_t i = (bits->count + HEX_BITS - 1) / HEX_BITS; i-- > 0;) {
    fprintf(file, "%x", bits->nibble[i]);
  }
  bits->count = 0;
}

static inline void hex_vector(FILE *file, hex_bits_t *bits, const num_bf16_t *x, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    hex_put(bits, x[i], 16);
  }
  hex_write(file, bits);
}

#endif  // AMALGAM_ENGINE_ENGINE_HEX_H
