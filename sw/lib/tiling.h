// Integer helpers for cutting a range into tiles.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_LIB_TILING_H
#define AMALGAM_SW_LIB_TILING_H

#include <stdint.h>

static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

static inline uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static inline uint32_t round_up(uint32_t a, uint32_t multiple) { return ceil_div(a, multiple) * multiple; }

// Length of tile index when length is cut into tiles of size: size, or less for the last one.
static inline uint32_t tile_length(uint32_t length, uint32_t size, uint32_t index) {
  return min_u32(size, length - index * size);
}

#endif
