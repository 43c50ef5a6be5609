// c = a x b on the cube cores, see gemm_args.h.  With GEMM_FP16 defined, gemm_fp16 (gemm_fp16.c).
//
//            k             n                       at once
//        +-------+     +-------+        c tile     128 x 256, all of L0C
//      m |   a   |   k |   b   |        a piece    128 x 256 (k), 64 KB of L1
//        +-------+     +-------+        b piece    128 (k) x 256, 64 KB of L1
//
//   for tiles of c, those below each other first:
//     for k by chunks, for both halves of the tile's columns, for k by 128:
//       one MMAD of 128 x 128 x 128, or two of 128 x 64 x 128
//     FIX takes each half to global memory when its last chunk is done
//
// Only moves of 16 KB or more that start at a multiple of 512 bytes run at the full rate, which
// gives the pieces their shapes.  A load is there two thousand cycles after its last byte: 160 KB
// must be under way to keep MTE2 busy, which the seven slots of pieces that pass just allow.
//
// b's first pieces stay in L1 for all tiles of a column of tiles.  If k is at most 512 these are
// all of them, only a is loaded for each tile, and a half runs through all of k: FIX has the other
// half's time for it.  That is too short with k up to 256; then L0C is cut into quarters, which
// come and go one by one.  The first and the last tile of a column take smaller chunks, for the
// pieces come one after the other, and give their slots back sooner.
//
// With a longer k a chunk is one piece of a.  MTE2 takes up to 15 % longer than M then, as L0C has
// no room for a larger tile; the one piece of b that there is a slot for makes up for a little.
//
// Tiles get smaller when there are not enough for all AI cores.  None of this shows in the bits:
// every chain takes its products in ascending k.
// SPDX-License-Identifier: Apache-2.0
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
  DEPTH = 128,  // of a piece of b and of an MMAD
  QUARTERS_UP_TO = 2,  // pieces of b
  SLOT = 64 * 1024,
  L0_HALF = 32 * 1024,
  L0C_HALF = 64 * 1024,
  STRIP = 16,
  STRIP_ROW = 32,  // bytes of a row of a fractal strip
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

typedef struct gemm {
  gemm_args_t args;
#ifdef GEMM_FP16
  uint32_t c_type, given_cols;
#endif
  uint32_t tile_rows, tile_cols;
  uint32_t m_tiles, tiles, step;  // tile t is at row t % m_tiles of column t / m_tiles of tiles
  uint32_t a_pieces, pieces, kept, chunk;  // pieces of a and b in k, those of b that stay
  bool quarters;  // of L0C have a slot each, not halves
  ring_t ring[RINGS];
  uint32_t room[RINGS];  // uses of a ring of L1 that have a slot, by the frees pushed so far
  uint32_t products, results;  // so far
} gemm_t;

// A tile of this core's.
typedef struct place {
  uint32_t tile;
  uint32_t ordinal, columns;  // tiles and columns of tiles before it
  uint32_t row, col, rows, cols;
  bool opens, closes;  // is it the first and last of this core's in its column?
} place_t;

// ---- What gemm_fp16 may choose ----

#ifdef GEMM_FP16
static uint32_t c_type(const gemm_t *gemm) { return gemm->c_type; }
static uint32_t given_cols(const gemm_t *gemm) { return gemm->given_cols; }
#else
static uint32_t c_type(const gemm_t *gemm) {
  (void)gemm;
  return TYPE_F32;
}
static uint32_t given_cols(const gemm_t *gemm) {
  (void)gemm;
  return 0;
}
#endif

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
  while (given_cols(gemm) == 0 &&
         ceil_div(args->m, rows) * ceil_div(args->n, cols) < cores &&
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
  gemm->ring[RING_STREAMED] =
      (ring_t){PIPE_MTE2, PIPE_MTE1, (uint8_t)a_slots, (uint8_t)b_slots, base, b_bytes};
}

static void gemm_open(gemm_t *gemm) {
#ifdef GEMM_FP16
  const gemm_fp16_args_t *given = hal_gm(hal_read(REG_ARGS));
  require(given->tile_cols % STRIP == 0 && given->tile_cols <= TILE_COLS &&
              (given->c_type == TYPE_F32 || given->c_type == TYPE_F16),
          PANIC_ARGUMENTS);
  gemm->c_type = given->c_type;
  gemm->given_cols = given->tile_cols;
  const gemm_args_t *args = &given->product;
#else
  const gemm_args_t *args = hal_gm(hal_read(REG_ARGS));
#endif
  require(args_valid(args, c_bytes(gemm)), PANIC_ARGUMENTS);
  gemm->args = *args;
  gemm->step = (uint32_t)hal_read(REG_CORE_COUNT);
  cut_c(gemm, gemm->step);
  gemm->a_pieces = ceil_div(args->k, A_DEPTH);
  gemm->pieces = ceil_div(args->k, DEPTH);
  const l1_plan_t *plan = gemm->m_tiles <= gemm->step            ? &plan_once
                          : gemm->pieces <= plan_short.kept ? &plan_short
                                                            : &plan_long;
  gemm->quarters = gemm->pieces <= QUARTERS_UP_TO;
  gemm->kept = min_u32(gemm->pieces, plan->kept);
  gemm->chunk = plan->chunk;
  const uint8_t streamed = (uint8_t)(plan->a + plan->kept);
  gemm->ring[RING_A] = (ring_t){PIPE_MTE2, PIPE_MTE1, 0, plan->a, 0, SLOT};
  gemm->ring[RING_KEPT] =
      (ring_t){PIPE_MTE2, PIPE_MTE1, plan->a, plan->kept, plan->a * SLOT, SLOT};
  gemm->ring[RING_STREAMED] =
      (ring_t){PIPE_MTE2, PIPE_MTE1, streamed, plan->streamed, streamed * SLOT, SLOT};
  gemm->ring[RING_L0] = (ring_t){PIPE_MTE1, PIPE_M, 0, 2, 0, L0_HALF};
  if (given_cols(gemm) != 0 && plan == &plan_once) {
    fit_slots(gemm);
  }
  const uint32_t parts = gemm->quarters ? 2 : 1;
  gemm->ring[RING_L0C] =
      (ring_t){PIPE_M, PIPE_FIX, 0, (uint8_t)(2 * parts), 0, L0C_HALF / parts};
  for (uint32_t i = 0; i < RINGS; i++) {
    gemm->room[i] = gemm->ring[i].slots;
  }
  gemm->products = gemm->results = 0;
}

// Where place->tile is; columns and opens are what the tile before it says.
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
  return piece < gemm->kept
             ? place->columns * gemm->kept + piece
             : place->ordinal * (gemm->pieces - gemm->kept) + piece - gemm->kept;
}

// Does the tile load a piece of b, does it give it back?
static bool loads_b(const gemm_t *gemm, const place_t *place, uint32_t piece) {
  return place->opens || piece >= gemm->kept;
}

static bool frees_b(const gemm_t *gemm, const place_t *place, uint32_t piece) {
  return place->closes || piece >= gemm->kept;
}

// ---- Loading: MTE2 ----

// The next load: of a's piece that `piece` is in, or of b's.
typedef struct loader {
  place_t place;
  uint32_t piece;
  bool b;
} loader_t;

static void load_a(const gemm_t *gemm, const loader_t *next, uint32_t use) {
  const gemm_args_t *args = &gemm->args;
  const ring_t *ring = &gemm->ring[RING_A];
  const uint32_t k = next->piece * DEPTH;
  ring_wait_free(ring, use);
  data_copy_gm_to_l1(.gm = args->a + (uint64_t)next->place.row * args->a_pitch + 2 * k,
                     .gm_pitch = args->a_pitch, .l1 = ring_slot(ring, use),
                     .rows = next->place.rows, .cols = min_u32(A_DEPTH, args->k - k));
  ring_set_full(ring, use);
}

static void load_b(const gemm_t *gemm, const loader_t *next, uint32_t use) {
  const gemm_args_t *args = &gemm->args;
  const ring_t *ring = &gemm->ring[b_ring(gemm, next->piece)];
  const uint32_t k = next->piece * DEPTH;
  ring_wait_free(ring, use);
  data_copy_gm_to_l1(.gm = args->b + (uint64_t)k * args->b_pitch + 2 * next->place.col,
                     .gm_pitch = args->b_pitch, .l1 = ring_slot(ring, use),
                     .rows = min_u32(DEPTH, args->k - k), .cols = next->place.cols);
  ring_set_full(ring, use);
}

static void next_load(const gemm_t *gemm, loader_t *next) {
  do {
    if (next->b) {
      next->piece++;
    }
    next->b = !next->b || next->piece % (A_DEPTH / DEPTH) != 0;
    if (next->piece == gemm->pieces) {
      next_place(gemm, &next->place);
      next->piece = 0;
      next->b = false;
    }
  } while (next->b && !loads_b(gemm, &next->place, next->piece));
}

// All loads that may be pushed, in the order of their use: those whose slot is free once what is
// pushed already is done.  For if MTE2's queue were full of others, this program would wait for it
// and could not push what frees their slots.
static void load_some(const gemm_t *gemm, loader_t *next) {
  while (next->place.tile < gemm->tiles) {
    const enum ring_name ring = next->b ? b_ring(gemm, next->piece) : RING_A;
    const uint32_t use = next->b ? b_use(gemm, &next->place, next->piece)
                                 : a_use(gemm, &next->place, next->piece);
    if (use >= gemm->room[ring]) {
      return;
    }
    if (next->b) {
      load_b(gemm, next, use);
    } else {
      load_a(gemm, next, use);
    }
    next_load(gemm, next);
  }
}

// ---- Multiplying: MTE1, M, FIX ----

// A half of a tile.
typedef struct half {
  uint32_t col, cols;  // in the tile
  bool first, last;    // of the tile's halves
  uint32_t part;       // columns of what has a slot of L0C
  uint32_t number;     // of the first part, among this core's
} half_t;

static void free_slot(gemm_t *gemm, enum ring_name ring, uint32_t use) {
  ring_set_free(&gemm->ring[ring], use);
  gemm->room[ring]++;
}

// a's and b's part of one MMAD to L0A and L0B.
static void move_operands(gemm_t *gemm, const place_t *place, const half_t *half, uint32_t piece,
                          uint32_t depth, uint32_t part) {
  const ring_t *a = &gemm->ring[RING_A];
  const ring_t *b = &gemm->ring[b_ring(gemm, piece)];
  const uint32_t left = a_use(gemm, place, piece);
  const uint32_t right = b_use(gemm, place, piece);
  const uint32_t left_pitch = round_up(place->rows, STRIP) * STRIP_ROW;
  const uint32_t right_pitch = round_up(depth, STRIP) * STRIP_ROW;
  const uint32_t skipped = piece % (A_DEPTH / DEPTH) * DEPTH;  // of a's piece
  if (half->first && skipped == 0) {
    ring_wait_full(a, left);
  }
  load_data_a(.l1 = ring_slot(a, left) + skipped / STRIP * left_pitch, .l1_pitch = left_pitch,
              .l0a = part, .m = place->rows, .k = depth);
  if (half->first && loads_b(gemm, place, piece)) {
    ring_wait_full(b, right);
  }
  load_data_b(.l1 = ring_slot(b, right) + half->col / STRIP * right_pitch,
              .l1_pitch = right_pitch, .l0b = part, .k = depth, .n = half->cols);
  if (half->last && frees_b(gemm, place, piece)) {
    free_slot(gemm, b_ring(gemm, piece), right);
  }
  if (half->last && (skipped + DEPTH == A_DEPTH || piece + 1 == gemm->pieces)) {
    free_slot(gemm, RING_A, left);
  }
}

// One MMAD for each part of the half that has L0C to itself.
static void multiply(gemm_t *gemm, const place_t *place, const half_t *half, uint32_t piece) {
  const ring_t *l0 = &gemm->ring[RING_L0];
  const ring_t *l0c = &gemm->ring[RING_L0C];
  const uint32_t use = gemm->products++;
  const uint32_t part = ring_slot(l0, use);
  const uint32_t depth = tile_length(gemm->args.k, DEPTH, piece);
  const uint32_t strip = round_up(depth, STRIP) * STRIP_ROW;

  ring_wait_free(l0, use);
  move_operands(gemm, place, half, piece, depth, part);
  ring_set_full(l0, use);

  ring_wait_full(l0, use);
  for (uint32_t col = 0, number = half->number; col < half->cols; col += half->part, number++) {
    if (piece == 0) {
      ring_wait_free(l0c, number);
    }
    mmad(.l0a = part, .l0b = part + col / STRIP * strip, .l0c = ring_slot(l0c, number),
         .m = place->rows, .n = min_u32(half->part, half->cols - col), .k = depth,
         .accumulate = piece == 0 ? 0 : 1, .type = gemm->args.type);
    if (piece + 1 == gemm->pieces) {
      ring_set_full(l0c, number);
    }
  }
  ring_set_free(l0, use);
}

static void store(const gemm_t *gemm, const place_t *place, const half_t *half) {
  const gemm_args_t *args = &gemm->args;
  const ring_t *l0c = &gemm->ring[RING_L0C];
  const uint32_t bytes = c_bytes(gemm);
  const uint64_t gm =
      args->c + (uint64_t)place->row * args->c_pitch + bytes * (place->col + half->col);
  for (uint32_t col = 0, number = half->number; col < half->cols; col += half->part, number++) {
    ring_wait_full(l0c, number);
    fixpipe(.l0c = ring_slot(l0c, number), .m = place->rows,
            .n = min_u32(half->part, half->cols - col), .gm = gm + bytes * col,
            .gm_pitch = args->c_pitch, .type = c_type(gemm), .op = GM_STORE);
    ring_set_free(l0c, number);
  }
}

// The pieces from first to end, for both halves.
static void multiply_chunk(gemm_t *gemm, loader_t *loads, const place_t *place, uint32_t first,
                           uint32_t end) {
  const uint32_t halves = ceil_div(place->cols, HALF_COLS);
  const uint32_t part = gemm->quarters ? HALF_COLS / 2 : HALF_COLS;
  uint32_t number = gemm->results;
  for (uint32_t i = 0; i < halves; i++) {
    const half_t half = {.col = i * HALF_COLS,
                         .cols = tile_length(place->cols, HALF_COLS, i),
                         .first = i == 0,
                         .last = i + 1 == halves,
                         .part = part,
                         .number = number};
    for (uint32_t piece = first; piece < end; piece++) {
      load_some(gemm, loads);
      multiply(gemm, place, &half, piece);
    }
    if (end == gemm->pieces) {
      store(gemm, place, &half);
    }
    number += ceil_div(half.cols, part);
  }
  if (end == gemm->pieces) {
    gemm->results = number;
  }
}

// ---- The whole ----

static void for_rings(const gemm_t *gemm, uint32_t first, uint32_t end,
                      void (*act)(const ring_t *ring)) {
  for (uint32_t i = first; i < end; i++) {
    act(&gemm->ring[i]);
  }
}

void cube_main(void) {
  gemm_t gemm;
  gemm_open(&gemm);
  place_t place = first_place(&gemm);
  loader_t loads = {.place = place};
  // Loads first: it is two microseconds until they are there.
  for_rings(&gemm, RING_A, RING_L0, ring_open);
  load_some(&gemm, &loads);
  for_rings(&gemm, RING_L0, RINGS, ring_open);
  for (; place.tile < gemm.tiles; next_place(&gemm, &place)) {
    const uint32_t chunk = place.opens || place.closes ? A_DEPTH / DEPTH : gemm.chunk;
    for (uint32_t piece = 0; piece < gemm.pieces; piece += chunk) {
      multiply_chunk(&gemm, &loads, &place, piece, min_u32(piece + chunk, gemm.pieces));
    }
  }
  for_rings(&gemm, RING_A, RINGS, ring_drain);
}
