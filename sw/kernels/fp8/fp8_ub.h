// How much of UB what takes, in place of attention_ub.h: V1's tiles are smaller, the rest is for making
// keys (fp8_keys.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_FP8_UB_H
#define KERNELS_FP8_UB_H

enum {
  SCORE_ROWS = 16,
  SCORE_ROWS_VARY = 1,
  TILE_OWN = 4 * SCORE_ROWS,  // sinks; the mask of a tile is the block's numbers of tokens
  TILES_OWN = 42 * 1024,      // tokens
  OUT_SLOT = 16 * 1024,
};

#endif
