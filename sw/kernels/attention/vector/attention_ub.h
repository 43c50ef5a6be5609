// How much of UB what takes: base and amla.  See attention_vector.h, which is included behind this or
// behind a kernel's own.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_ATTENTION_UB_H
#define KERNELS_ATTENTION_UB_H

enum {
  SCORE_ROWS = 32,       // rows of a tile in V1, at most
  SCORE_ROWS_VARY = 0,   // 1: tiles of V2 have as many rows as those of V1, maybe less than SCORE_ROWS
  TILE_OWN = 0,          // bytes behind a tile and its mask
  TILES_OWN = 0,         // bytes behind all tiles
  OUT_SLOT = 20 * 1024,  // bytes of a slot of the out ring
};

#endif
