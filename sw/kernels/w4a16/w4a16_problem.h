// The problem as the cube and the vector cores of an AI core see it: tiles of c, slices of k, pieces
// of B, and the flags between the cores.
//
//            k                    n                  unit    a tile of c, over one slice of k
//        +-------+            +-------+              piece   tile_cols columns of B by as many rows
//      m |   a   |   slice {  |   B   |                      as fit into 64 KB
//        +-------+            +-------+
//
// AI core i of n takes the units i, i + n, ...; neighbours have the same slice and columns, then the
// same columns.  If phases are sequential they are taken backwards: B was written from the first
// column to the last, and of a B that is larger than L2 the last columns are still there.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_W4A16_W4A16_PROBLEM_H
#define AMALGAM_SW_KERNELS_W4A16_W4A16_PROBLEM_H

#include <stdbool.h>

#include "kernels/w4a16/w4a16_args.h"
#include "lib/tiling.h"

// Cross-core flags.
enum w4a16_flag {
  FLAG_DEQUANTISED,  // vector to cube, sequential: all of B is in the workspace
  FLAG_READY,        // vector to cube, else: this core's part of the next piece is there
  FLAG_FREE,         // cube to vector: the oldest piece's slot may be written
  FLAG_MULTIPLIED,   // cube to vector: all partial sums are in global memory
};

// L1: parts of a, then slots of pieces of B.
enum { W4A16_A_BYTES = 2 * W4A16_SLOT, W4A16_B_SLOTS = 6, W4A16_B_BASE = W4A16_A_BYTES };

typedef struct w4a16 {
  w4a16_args_t args;
  uint32_t core, cores;
  uint32_t tile_rows, piece_rows;
  uint32_t m_tiles, n_tiles, units;
  uint32_t b_pitch;                   // bytes from row to row of B in the workspace, sequential
  uint32_t slots;                     // of pieces between vector and cube cores, where phases overlap
  const struct w4a16_groups *groups;  // of a kernel with several products; w4a16 has none
} w4a16_t;

typedef struct w4a16_unit {
  uint32_t number;
  uint32_t split, k, k_end;  // slice of k; of a kernel with several products, each one slice: the product
  uint32_t row, rows, col, cols;
} w4a16_unit_t;

// Address of row k of the tile of B that begins with a column, if phases are sequential.
static inline uint64_t w4a16_b_row(const w4a16_t *problem, uint32_t k, uint32_t col) {
  return problem->args.b + (uint64_t)k * problem->b_pitch + col / problem->args.tile_cols * W4A16_TILE_PITCH;
}

// Reads the arguments; ends the program if they are outside of the limits.
void w4a16_open(w4a16_t *problem);

// False: there is no unit of that number.
bool w4a16_unit(const w4a16_t *problem, uint32_t number, w4a16_unit_t *unit);

// A piece of a unit, and its number among all of this AI core's.
typedef struct w4a16_piece {
  w4a16_unit_t unit;
  bool valid;
  uint32_t k, rows;
  uint32_t number;
} w4a16_piece_t;

w4a16_piece_t w4a16_first_piece(const w4a16_t *problem);
void w4a16_next_piece(const w4a16_t *problem, w4a16_piece_t *piece);

// The vector cores' part, in w4a16_dequant.c; lib/slice_sum.h adds the slices' sums.
void w4a16_dequantise(const w4a16_t *problem);

#endif
