// Comparisons, whose result is a bit mask, and selections by one.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/vector.h"

enum { CHUNK = 64 };  // elements handled through buffers on the stack at a time

// The next n elements of b: those of a tile, or its one value repeated.
NUM_INLINE const float *chunk_of_b(bool tile, const float *b, size_t i, const float *repeated) {
  return tile ? b + i : repeated;
}

// Eight bytes of 0 or 1 to the bits of one byte, the first lowest: byte i meets the factor's byte
// 7-i, which puts it at bit 56+i.
NUM_INLINE uint8_t pack_bits(const uint8_t flags[8]) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    word |= (uint64_t)flags[i] << (8 * i);
  }
  return (uint8_t)((word * 0x0102040810204080u) >> 56);
}

NUM_CLONES
static void compare_row(bool equal, bool tile, uint8_t *dst, const float *a, const float *b, size_t n) {
  float repeated[CHUNK];
  for (size_t j = 0; j < CHUNK; ++j) {
    repeated[j] = *b;
  }
  for (size_t i = 0; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    const float *y = chunk_of_b(tile, b, i, repeated);
    uint8_t flags[CHUNK] = {0};
    if (equal) {
      for (size_t j = 0; j < count; ++j) {
        flags[j] = a[i + j] == y[j];
      }
    } else {
      for (size_t j = 0; j < count; ++j) {
        flags[j] = a[i + j] > y[j];
      }
    }
    for (size_t j = 0; j < count; j += 8) {
      dst[(i + j) / 8] = pack_bits(flags + j);
    }
  }
}

NUM_CLONES
static void select_row(bool tile, uint32_t *dst, const uint32_t *a, const uint32_t *b, const uint8_t *mask, size_t n) {
  const uint32_t repeated = *b;
  for (size_t i = 0; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    uint32_t take_a[CHUNK];  // all ones or zero
    for (size_t j = 0; j < count; j += 8) {
      const uint32_t bits = mask[(i + j) / 8];
      for (unsigned bit = 0; bit < 8; ++bit) {
        take_a[j + bit] = 0u - ((bits >> bit) & 1u);
      }
    }
    if (tile) {
#pragma GCC ivdep
      for (size_t j = 0; j < count; ++j) {
        dst[i + j] = (a[i + j] & take_a[j]) | (b[i + j] & ~take_a[j]);
      }
    } else {
#pragma GCC ivdep
      for (size_t j = 0; j < count; ++j) {
        dst[i + j] = (a[i + j] & take_a[j]) | (repeated & ~take_a[j]);
      }
    }
  }
}

static void compare(const core_vec_tile_t *t, bool equal) {
  EACH_ROW(t, row) { compare_row(equal, t->tile, row.dst, row.a, row.b, t->cols); }
}

void core_vec_cmp_gt(const core_vec_tile_t *t) { compare(t, false); }
void core_vec_cmp_eq(const core_vec_tile_t *t) { compare(t, true); }

void core_vec_select(const core_vec_tile_t *t) {
  EACH_ROW(t, row) { select_row(t->tile, row.dst, row.a, row.b, row.c, t->cols); }
}
