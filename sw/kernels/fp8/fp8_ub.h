// The division of UB, in place of attention_ub.h: V1's tiles are smaller, the rest is for making
// keys (fp8_keys.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_UB_H
#define AMALGAM_SW_KERNELS_FP8_FP8_UB_H

#include "kernels/attention/attention_args.h"

enum {
  CORE_ROWS = ATTENTION_CORE_ROWS,
  SCORE_ROWS = 16,
  TILE_SLOTS = 2,
  TILE_BYTES = SCORE_ROWS * 2 * 1024,
  TILE_MASK = 2 * 1024,
  TILE_OWN = 4 * SCORE_ROWS,  // sinks; the mask of a tile is the block's numbers of tokens
  TILES_OWN = 42 * 1024,      // tokens
  OUT_SLOT = 16 * 1024,
  OUT_COLS = 512,
  ROW_TURNS = 2,
};

#endif
