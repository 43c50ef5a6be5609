// The division of UB: base and amla.  See attention_vector.h, which is included behind this or
// behind a kernel's own.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_UB_H
#define AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_UB_H

#include "kernels/attention/attention_args.h"

enum {
  CORE_ROWS = ATTENTION_CORE_ROWS,  // rows of a unit for a vector core, at most
  SCORE_ROWS = 32,                  // rows of a tile in V1, at most
  TILE_SLOTS = 2,
  TILE_BYTES = SCORE_ROWS * 2 * 1024,
  TILE_MASK = 2 * 1024,  // bytes behind a tile
  TILE_OWN = 0,          // bytes behind a tile and its mask
  TILES_OWN = 0,         // bytes behind all tiles
  OUT_SLOT = 20 * 1024,  // bytes of a slot of the out ring
  OUT_COLS = 512,        // columns of the output, at most
  ROW_TURNS = 2,         // turns whose V1 may be done before the first one's V2
};

#endif
