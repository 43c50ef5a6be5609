// Private to gemm_tiles: units, the pieces of a and b that are in L1, and the walk over both.
//
//            k               n          unit    a tile of c over a slice of k
//        +-------+       +-------+      part    what has a slot of L0C: a tile, or half of one of more than 64 KB
//      m |   a   | slice{|   b   |      chunk   a_depth of k, through which parts go one after the other
//        +-------+       +-------+      piece   of a: a chunk's, the rows of the tile, or of a part if these are
//                                               halves of the rows; of b: b_depth of k by the columns of the
//                                               tile, or of a part if these are halves of the columns and a
//                                               piece is as deep as a chunk
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_GEMM_GEMM_TILES_H
#define AMALGAM_SW_KERNELS_GEMM_GEMM_TILES_H

#include <stdbool.h>

#include "hal/hal.h"
#include "kernels/gemm/gemm_args.h"
#include "lib/panic.h"
#include "lib/ring.h"
#include "lib/tiling.h"

// Of operands: their type is GEMM_S8's or a 16-bit one.
#ifdef GEMM_S8
enum { BYTES = 1, ELEMENT = ELEMENT_8, L1_BYTES = GEMM_L1_KB * 1024 - GEMM_SCALES_L1 };
#else
enum { BYTES = 2, ELEMENT = ELEMENT_16, L1_BYTES = GEMM_L1_KB * 1024 };
#endif

enum {
  COLS = STRIP_ROW / BYTES,  // of a strip
  L0_HALF = 32 * 1024,
  L0C_BYTES = GEMM_L0C_KB * 1024,
  L0C_SLOTS_MAX = 4,
  FLAGS = 32,           // between two pipes
  FLAG_MULTIPLIED = 0,  // cube to vector: all partial sums are in global memory
};

enum operand { A, B, OPERANDS };
enum ring_name { RING_A, RING_B, RING_KEPT, RING_L0C, RINGS };  // the first two: of A and B

typedef struct tiles {
  gemm_tiles_args_t args;
  uint32_t cores;
  uint32_t m_tiles, n_tiles, units;
  uint32_t part_rows, part_cols;  // of a part
  uint32_t step;                  // k of an MMAD
  uint32_t depth[OPERANDS];
  uint32_t turned;          // b is, on the way to L0B
  uint32_t kept[OPERANDS];  // the first so many pieces of a slice, in a ring of their own
  bool by_part[OPERANDS];   // has each part pieces of its own?
  ring_t ring[RINGS];
  uint32_t room[RING_L0C];     // uses of the rings of L1 that have a slot, by the frees pushed so far
  uint32_t products, results;  // so far
} tiles_t;

typedef struct unit {
  uint32_t number;
  uint32_t split, k, depth;  // its slice of k
  uint32_t row, rows, col, cols;
  uint32_t parts;          // 1 or 2
  uint32_t line;           // what its tiles have in common: a row or column of tiles, of a slice
  bool opens, closes;      // is it the first, the last of this core's there?
  uint32_t use[RING_L0C];  // of its first pieces, in the rings
} unit_t;

// ---- The problem ----

static bool extents_valid(const gemm_args_t *p) {
  return p->m >= 1 && p->m <= GEMM_MAX && p->n >= 1 && p->n <= GEMM_MAX && p->k >= 1 && p->k <= GEMM_MAX &&
         (BYTES == 1 ? p->type == TYPE_S8 : p->type == TYPE_BF16 || p->type == TYPE_F16);
}

static uint32_t c_bytes(const gemm_tiles_args_t *a) {
  return a->c_type == TYPE_F32 || (BYTES == 1 && a->c_type == TYPE_S32) ? 4 : 2;
}

static bool arrays_valid(const gemm_tiles_args_t *a) {
  const gemm_args_t *p = &a->product;
  const uint32_t b_row = a->layout == GEMM_ND ? BYTES * p->n : a->layout == GEMM_DN ? BYTES * p->k : p->k * STRIP_ROW;
  return (p->a | p->b | p->a_pitch | p->b_pitch) % BYTES == 0 && p->a_pitch >= BYTES * p->k && p->b_pitch >= b_row &&
         (p->c | p->c_pitch) % c_bytes(a) == 0 && p->c_pitch >= c_bytes(a) * p->n &&
         (a->splits == 1 || (p->c_pitch == c_bytes(a) * p->n && (a->partial | a->partial_bytes) % 4 == 0));
}

static bool size_valid(uint32_t value, uint32_t of, uint32_t most) {
  return value >= of && value % of == 0 && value <= most;
}

static bool cuts_valid(const gemm_tiles_args_t *a) {
  return size_valid(a->tile_rows, STRIP, GEMM_MAX_TILE) && size_valid(a->tile_cols, COLS, GEMM_MAX_TILE) &&
         size_valid(a->a_depth, COLS, GEMM_MAX_DEPTH) && size_valid(a->b_depth, COLS, a->a_depth) &&
         a->a_depth % a->b_depth == 0 && a->a_slots >= 2 && a->a_slots <= GEMM_MAX_SLOTS && a->b_slots >= 2 &&
         a->b_slots <= GEMM_MAX_SLOTS && a->splits >= 1 && a->splits <= GEMM_MAX_SPLITS && a->splits <= a->product.k &&
         a->band >= 1 && a->kept <= GEMM_MAX_SLOTS && a->a_slots + a->b_slots + a->kept <= FLAGS;
}

static bool result_valid(const gemm_tiles_args_t *a) {
  return BYTES == 1 ? a->splits == 1 && a->c_type == (a->scales == 0 ? TYPE_S32 : TYPE_F16) && a->scales % 2 == 0
                    : a->c_type == TYPE_F32 || a->c_type == TYPE_F16 || a->c_type == TYPE_BF16;
}

static bool args_valid(const gemm_tiles_args_t *a) {
  return extents_valid(&a->product) && a->layout < GEMM_LAYOUTS && result_valid(a) && arrays_valid(a) && cuts_valid(a);
}

// Parts of a tile: halves of its longer side if L0C cannot hold two tiles.
static void cut_tile(tiles_t *tiles) {
  const gemm_tiles_args_t *a = &tiles->args;
  const bool halves = a->tile_rows * a->tile_cols > GEMM_MAX_PART;
  const bool rows = a->tile_rows > a->tile_cols;
  tiles->part_rows = halves && rows ? round_up(a->tile_rows / 2, STRIP) : a->tile_rows;
  tiles->part_cols = halves && !rows ? round_up(a->tile_cols / 2, STRIP) : a->tile_cols;
  tiles->by_part[A] = halves && rows;
  tiles->by_part[B] = halves && !rows && a->a_depth == a->b_depth;
  require(tiles->part_rows * tiles->part_cols <= GEMM_MAX_PART && (BYTES == 2 || tiles->part_cols % COLS == 0),
          PANIC_ARGUMENTS);
  // MMADs of equal depth, as deep as halves of L0A and L0B allow.
  const uint32_t most = L0_HALF / BYTES / max_u32(tiles->part_rows, tiles->part_cols) / COLS * COLS;
  tiles->step = round_up(ceil_div(a->b_depth, ceil_div(a->b_depth, most)), COLS);
}

static void plan_rings(tiles_t *tiles) {
  const gemm_tiles_args_t *a = &tiles->args;
  const uint32_t a_bytes = BYTES * a->a_depth * (tiles->by_part[A] ? tiles->part_rows : a->tile_rows);
  const uint32_t b_bytes = BYTES * a->b_depth * (tiles->by_part[B] ? tiles->part_cols : a->tile_cols);
  const uint32_t part = 4 * tiles->part_rows * tiles->part_cols;
  const uint32_t parts = min_u32(L0C_SLOTS_MAX, L0C_BYTES / part);
  // A chunk's pieces of b are there together if they are for several parts.
  const bool shared = tiles->by_part[A] || tiles->part_cols < a->tile_cols;
  const uint32_t kept = a->a_slots * a_bytes + a->b_slots * b_bytes;  // begin there
  const uint32_t kept_bytes = a->by_columns != 0 ? b_bytes : a_bytes;
  const uint32_t kept_depth = a->by_columns != 0 ? a->b_depth : a->a_depth;
  require(kept + a->kept * kept_bytes <= L1_BYTES && a->kept <= ceil_div(a->product.k / a->splits, kept_depth) &&
              (!shared || tiles->by_part[B] || a->b_slots >= a->a_depth / a->b_depth),
          PANIC_ARGUMENTS);
  tiles->ring[RING_A] = (ring_t){PIPE_MTE2, PIPE_MTE1, 0, (uint8_t)a->a_slots, 0, a_bytes};
  tiles->ring[RING_B] =
      (ring_t){PIPE_MTE2, PIPE_MTE1, (uint8_t)a->a_slots, (uint8_t)a->b_slots, a->a_slots * a_bytes, b_bytes};
  tiles->ring[RING_KEPT] =
      (ring_t){PIPE_MTE2, PIPE_MTE1, (uint8_t)(a->a_slots + a->b_slots), (uint8_t)a->kept, kept, kept_bytes};
  tiles->ring[RING_L0C] = (ring_t){PIPE_M, PIPE_FIX, 0, (uint8_t)parts, 0, part};
  for (uint32_t i = RING_A; i < RING_L0C; ++i) {
    tiles->room[i] = tiles->ring[i].slots;
  }
}

static void tiles_open(tiles_t *tiles) {
  const gemm_tiles_args_t *args = hal_gm(hal_read(REG_ARGS));
  require(args_valid(args), PANIC_ARGUMENTS);
  tiles->args = *args;
  tiles->cores = (uint32_t)hal_read(REG_CORE_COUNT);
  tiles->m_tiles = ceil_div(args->product.m, args->tile_rows);
  tiles->n_tiles = ceil_div(args->product.n, args->tile_cols);
  tiles->units = tiles->m_tiles * tiles->n_tiles * args->splits;
  tiles->depth[A] = args->a_depth;
  tiles->depth[B] = args->b_depth;
  tiles->kept[A] = args->by_columns == 0 ? args->kept : 0;
  tiles->kept[B] = args->by_columns != 0 ? args->kept : 0;
  tiles->turned = args->layout == GEMM_DN ? 1 : 0;
  tiles->products = tiles->results = 0;
}

// ---- Units ----

static uint32_t slice_start(const tiles_t *tiles, uint32_t split) {
  return (uint32_t)((uint64_t)split * tiles->args.product.k / tiles->args.splits);
}

// Place in c: bands of so many lines, in which the tiles across all of them come first.
static void place_tile(const tiles_t *tiles, uint32_t tile, uint32_t *line, uint32_t *along) {
  const uint32_t lines = tiles->args.by_columns != 0 ? tiles->m_tiles : tiles->n_tiles;
  const uint32_t length = tiles->args.by_columns != 0 ? tiles->n_tiles : tiles->m_tiles;
  const uint32_t band = min_u32(tiles->args.band, lines);
  const uint32_t first = tile / (band * length) * band;
  const uint32_t across = min_u32(band, lines - first);
  const uint32_t rest = tile % (band * length);
  *along = first + rest % across;
  *line = rest / across;
}

static uint32_t line_of(const tiles_t *tiles, uint32_t number) {
  const uint32_t tiles_all = tiles->m_tiles * tiles->n_tiles;
  uint32_t line, along;
  place_tile(tiles, number % tiles_all, &line, &along);
  return number / tiles_all * GEMM_MAX + line;
}

// Completes a unit whose number is set, and whose uses are.
static void settle(const tiles_t *tiles, unit_t *unit) {
  const gemm_tiles_args_t *a = &tiles->args;
  const uint32_t tiles_all = tiles->m_tiles * tiles->n_tiles;
  uint32_t line, along;
  place_tile(tiles, unit->number % tiles_all, &line, &along);
  const uint32_t row = a->by_columns != 0 ? along : line;
  const uint32_t col = a->by_columns != 0 ? line : along;
  unit->split = unit->number / tiles_all;
  unit->k = slice_start(tiles, unit->split);
  unit->depth = slice_start(tiles, unit->split + 1) - unit->k;
  unit->row = row * a->tile_rows;
  unit->col = col * a->tile_cols;
  unit->rows = tile_length(a->product.m, a->tile_rows, row);
  unit->cols = tile_length(a->product.n, a->tile_cols, col);
  unit->parts = ceil_div(unit->rows, tiles->part_rows) * ceil_div(unit->cols, tiles->part_cols);
  unit->line = unit->split * GEMM_MAX + line;
  const uint32_t next = unit->number + tiles->cores;
  unit->closes = next >= tiles->units || line_of(tiles, next) != unit->line;
}

static unit_t first_unit(const tiles_t *tiles) {
  unit_t unit = {.number = (uint32_t)hal_read(REG_CORE_INDEX), .opens = true};
  if (unit.number < tiles->units) {
    settle(tiles, &unit);
  }
  return unit;
}

static uint32_t parts_of(const tiles_t *tiles, const unit_t *unit, enum operand which) {
  return tiles->by_part[which] ? unit->parts : 1;
}

static void next_unit(const tiles_t *tiles, unit_t *unit) {
  for (uint32_t which = A; which < OPERANDS; ++which) {
    unit->use[which] += ceil_div(unit->depth, tiles->depth[which]) * parts_of(tiles, unit, which) - tiles->kept[which];
  }
  unit->use[RING_KEPT] += unit->closes ? tiles->args.kept : 0;
  unit->number += tiles->cores;
  unit->opens = unit->closes;
  if (unit->number < tiles->units) {
    settle(tiles, unit);
  }
}

// A piece's place in L1; whether it is there already, and whether it stays when the unit is done.
typedef struct piece {
  enum ring_name ring;
  uint32_t use;
  bool loaded, stays;
} piece_t;

// In which the slice's k-th row or column is, for a part.
static inline piece_t piece_of(const tiles_t *tiles, const unit_t *unit, enum operand which, uint32_t k,
                               uint32_t part) {
  const uint32_t parts = parts_of(tiles, unit, which);
  const uint32_t index = k / tiles->depth[which] * parts + (parts > 1 ? part : 0);
  if (index < tiles->kept[which]) {
    return (piece_t){RING_KEPT, unit->use[RING_KEPT] + index, !unit->opens, !unit->closes};
  }
  return (piece_t){(enum ring_name)which, unit->use[which] + index - tiles->kept[which], false, false};
}

#endif
