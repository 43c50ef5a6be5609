// The division of UB, in place of attention_ub.h: four smaller tiles, whose loads cover the latency of
// memory, and O of a unit behind them.
//
//   dv up to 128    4 tiles, O of 64 rows x 512 B
//   dv up to 256    3 tiles, O of 64 rows x 1 KB, from where the fourth tile is on
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_UB_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_UB_H

enum {
  CORE_ROWS = 64,
  SCORE_ROWS = 32,  // with blocks of 256 keys or less, 16 with more
  TILE_SLOTS = 4,
  TILE_BYTES = 32 * 1024,
  TILE_MASK = 1024,  // bits that the mask has for a tile; then, where a row's token is said:
  TILE_OWN = 512,
  O_BYTES = 32 * 1024,       // behind the tiles
  COLUMNS_BYTES = 2 * 1024,  // behind O: minus the number of each column of a block
  TILES_OWN = O_BYTES + COLUMNS_BYTES,
  OUT_SLOT = 4 * 1024,
  OUT_COLS = 256,
  ROW_TURNS = 4,
};

#endif
