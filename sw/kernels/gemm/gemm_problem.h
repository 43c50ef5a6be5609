// Private to the gemm kernels: how c is cut, what is in L1, and where a core's tiles are.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_GEMM_GEMM_PROBLEM_H
#define AMALGAM_SW_KERNELS_GEMM_GEMM_PROBLEM_H

#include <stdbool.h>

#include "hal/hal.h"
#include "kernels/gemm/gemm_args.h"
#include "lib/panic.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum {
  TILE_ROWS = 128,
  TILE_COLS = 256,
  HALF_COLS = 128,
  MIN_ROWS = 16,
  MIN_COLS = 64,
  A_DEPTH = 256,
  DEPTH = 128,         // of a piece of b and of an MMAD
  QUARTERS_UP_TO = 2,  // pieces of b
  SLOT = 64 * 1024,
  L0_HALF = 32 * 1024,
  L0C_HALF = 64 * 1024,
};

// Slots of L1, GEMM_L1_KB together, and how k is cut.  `kept` pieces of b stay, in as many slots.
typedef struct l1_plan {
  uint8_t a, kept, streamed;  // slots
  uint32_t chunk;             // pieces of b
} l1_plan_t;

static const l1_plan_t plan_short = {4, 4, 0, 4};  // all of b's pieces have a slot
static const l1_plan_t plan_long = {3, 1, 4, 2};
static const l1_plan_t plan_once = {3, 0, 5, 2};  // one tile of each column is this core's

enum ring_name { RING_A, RING_KEPT, RING_STREAMED, RING_L0, RING_L0C, RINGS };

enum { A_SLOTS_MAX = 8, STREAMED_MAX = 24 };

// Fields that a kernel has of its own; it defines them before it includes this.
#ifndef GEMM_OWN
#define GEMM_OWN
#endif

typedef struct gemm {
  gemm_args_t args;
  GEMM_OWN
  uint32_t tile_rows, tile_cols;
  uint32_t m_tiles, tiles, step;           // tile t is at row t % m_tiles of column t / m_tiles of tiles
  uint32_t a_pieces, pieces, kept, chunk;  // pieces of a and b in k, those of b that stay
  bool quarters;                           // of L0C have a slot each, not halves
  ring_t ring[RINGS];
  uint32_t room[RINGS];        // uses of a ring of L1 that have a slot, by the frees pushed so far
  uint32_t products, results;  // so far
} gemm_t;

// A tile of this core's.
typedef struct place {
  uint32_t tile;
  uint32_t ordinal, columns;  // tiles and columns of tiles before it
  uint32_t row, col, rows, cols;
  bool opens, closes;  // is it the first and last of this core's in its column?
} place_t;

// ---- What the kernel says ----

// Its arguments; before all others.
static inline const gemm_args_t *gemm_args(gemm_t *gemm);
// Elements of c, TYPE_F32 or TYPE_F16; columns of its tiles, 0: by the rule below.
static inline uint32_t c_type(const gemm_t *gemm);
static inline uint32_t given_cols(const gemm_t *gemm);

static uint32_t c_bytes(const gemm_t *gemm) { return c_type(gemm) == TYPE_F32 ? 4 : 2; }

// ---- The problem ----

static bool extent_valid(uint32_t extent) { return extent >= 1 && extent <= GEMM_MAX; }

static bool array_valid(uint64_t address, uint32_t pitch, uint32_t cols, uint32_t bytes) {
  return (address | pitch) % bytes == 0 && pitch >= cols * bytes;
}

static bool args_valid(const gemm_args_t *a, uint32_t bytes) {
  return extent_valid(a->m) && extent_valid(a->n) && extent_valid(a->k) &&
         (a->type == TYPE_BF16 || a->type == TYPE_F16) && array_valid(a->a, a->a_pitch, a->k, 2) &&
         array_valid(a->b, a->b_pitch, a->n, 2) && array_valid(a->c, a->c_pitch, a->n, bytes);
}

// Halves tiles until every core has one.
static void cut_c(gemm_t *gemm, uint32_t cores) {
  const gemm_args_t *args = &gemm->args;
  uint32_t rows = min_u32(TILE_ROWS, round_up(args->m, STRIP));
  uint32_t cols = min_u32(TILE_COLS, round_up(args->n, STRIP));
  if (given_cols(gemm) != 0) {
    cols = min_u32(cols, given_cols(gemm));
  }
  while (given_cols(gemm) == 0 && ceil_div(args->m, rows) * ceil_div(args->n, cols) < cores &&
         (rows > MIN_ROWS || cols > MIN_COLS)) {
    if (cols > MIN_COLS && (cols > rows || rows == MIN_ROWS)) {
      cols = round_up(cols / 2, STRIP);
    } else {
      rows = round_up(rows / 2, STRIP);
    }
  }
  gemm->tile_rows = rows;
  gemm->tile_cols = cols;
  gemm->m_tiles = ceil_div(args->m, rows);
  gemm->tiles = gemm->m_tiles * ceil_div(args->n, cols);
}

// Smaller tiles' pieces are smaller, and there may be more of them.
static void fit_slots(gemm_t *gemm) {
  const uint32_t a_bytes = gemm->tile_rows * A_DEPTH * 2;
  const uint32_t b_bytes = gemm->tile_cols * DEPTH * 2;
  const uint32_t a_slots = min_u32(A_SLOTS_MAX, plan_once.a * SLOT / a_bytes);
  const uint32_t base = a_slots * a_bytes;
  const uint32_t b_slots = min_u32(STREAMED_MAX, (GEMM_L1_KB * 1024 - base) / b_bytes);
  gemm->ring[RING_A] = (ring_t){PIPE_MTE2, PIPE_MTE1, 0, (uint8_t)a_slots, 0, a_bytes};
  gemm->ring[RING_KEPT] = (ring_t){PIPE_MTE2, PIPE_MTE1, (uint8_t)a_slots, 0, base, b_bytes};
  gemm->ring[RING_STREAMED] = (ring_t){PIPE_MTE2, PIPE_MTE1, (uint8_t)a_slots, (uint8_t)b_slots, base, b_bytes};
}

static void gemm_open(gemm_t *gemm) {
  const gemm_args_t *args = gemm_args(gemm);
  require(args_valid(args, c_bytes(gemm)), PANIC_ARGUMENTS);
  gemm->args = *args;
  gemm->step = (uint32_t)hal_read(REG_CORE_COUNT);
  cut_c(gemm, gemm->step);
  gemm->a_pieces = ceil_div(args->k, A_DEPTH);
  gemm->pieces = ceil_div(args->k, DEPTH);
  const l1_plan_t *plan = gemm->m_tiles <= gemm->step       ? &plan_once
                          : gemm->pieces <= plan_short.kept ? &plan_short
                                                            : &plan_long;
  gemm->quarters = gemm->pieces <= QUARTERS_UP_TO;
  gemm->kept = min_u32(gemm->pieces, plan->kept);
  gemm->chunk = plan->chunk;
  const uint8_t streamed = (uint8_t)(plan->a + plan->kept);
  gemm->ring[RING_A] = (ring_t){PIPE_MTE2, PIPE_MTE1, 0, plan->a, 0, SLOT};
  gemm->ring[RING_KEPT] = (ring_t){PIPE_MTE2, PIPE_MTE1, plan->a, plan->kept, plan->a * SLOT, SLOT};
  gemm->ring[RING_STREAMED] = (ring_t){PIPE_MTE2, PIPE_MTE1, streamed, plan->streamed, streamed * SLOT, SLOT};
  gemm->ring[RING_L0] = (ring_t){PIPE_MTE1, PIPE_M, 0, 2, 0, L0_HALF};
  if (given_cols(gemm) != 0 && plan == &plan_once) {
    fit_slots(gemm);
  }
  const uint32_t parts = gemm->quarters ? 2 : 1;
  gemm->ring[RING_L0C] = (ring_t){PIPE_M, PIPE_FIX, 0, (uint8_t)(2 * parts), 0, L0C_HALF / parts};
  for (uint32_t i = 0; i < RINGS; ++i) {
    gemm->room[i] = gemm->ring[i].slots;
  }
  gemm->products = gemm->results = 0;
}

// Finds the address of place->tile; columns and opens follow from the tile before.
static void settle(const gemm_t *gemm, place_t *place) {
  const uint32_t column = place->tile / gemm->m_tiles;
  const uint32_t row = place->tile % gemm->m_tiles;
  const uint32_t next = place->tile + gemm->step;
  place->row = row * gemm->tile_rows;
  place->col = column * gemm->tile_cols;
  place->rows = tile_length(gemm->args.m, gemm->tile_rows, row);
  place->cols = tile_length(gemm->args.n, gemm->tile_cols, column);
  place->closes = next >= gemm->tiles || next / gemm->m_tiles != column;
}

static place_t first_place(const gemm_t *gemm) {
  place_t place = {.tile = (uint32_t)hal_read(REG_CORE_INDEX), .opens = true};
  if (place.tile < gemm->tiles) {
    settle(gemm, &place);
  }
  return place;
}

static void next_place(const gemm_t *gemm, place_t *place) {
  place->tile += gemm->step;
  place->ordinal++;
  place->opens = place->closes;
  place->columns += place->closes ? 1 : 0;
  if (place->tile < gemm->tiles) {
    settle(gemm, place);
  }
}

// ---- Uses of the rings of L1 ----

static uint32_t a_use(const gemm_t *gemm, const place_t *place, uint32_t piece) {
  return place->ordinal * gemm->a_pieces + piece / (A_DEPTH / DEPTH);
}

static enum ring_name b_ring(const gemm_t *gemm, uint32_t piece) {
  return piece < gemm->kept ? RING_KEPT : RING_STREAMED;
}

static uint32_t b_use(const gemm_t *gemm, const place_t *place, uint32_t piece) {
  return piece < gemm->kept ? place->columns * gemm->kept + piece
                            : place->ordinal * (gemm->pieces - gemm->kept) + piece - gemm->kept;
}

// Does the tile load a piece of b, does it give it back?
static bool loads_b(const gemm_t *gemm, const place_t *place, uint32_t piece) {
  return place->opens || piece >= gemm->kept;
}

static bool frees_b(const gemm_t *gemm, const place_t *place, uint32_t piece) {
  return place->closes || piece >= gemm->kept;
}

#endif
