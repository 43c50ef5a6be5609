// The cube cores' part of W4A16, as the kernel that includes this file has it: it may fill in cube_hooks. For each
// unit, a's tile times B's slice, to a partial sum or to c.
//
//   for units: for pieces of B: for the halves of a piece: one MMAD
//
//   MTE2   a, in parts of 32 KB, or 64 with 128 rows, and pieces of B, except by the direct path
//   MTE1   16 KB of a and 32 KB of B for an MMAD; waits for the vector cores by the direct path
//   FIX    the unit's tile, while the next unit's is summed in L0C's other half
//
// One chain of fused multiply-adds for an element of a slice, k ascending, however it is cut.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_W4A16_W4A16_CUBE_IMPL_H
#define AMALGAM_SW_KERNELS_W4A16_W4A16_CUBE_IMPL_H

#include <stddef.h>

#include "hal/hal.h"
#include "kernels/w4a16/w4a16_problem.h"
#include "lib/ring.h"

enum {
  A_DEPTH_MAX = 2048,
  A_SLOTS_MAX = 4,
  L0_HALF = 32 * 1024,
  L0C_HALF = 64 * 1024,
};

// Addresses of a unit's a and c, and bytes from row to row there. NULL: there is one product, as the arguments
// say, without gaps.
typedef struct w4a16_cube_hooks {
  uint64_t (*a)(const w4a16_t *problem, const w4a16_unit_t *unit);
  uint64_t (*c)(const w4a16_t *problem, const w4a16_unit_t *unit);
  uint32_t (*a_pitch)(const w4a16_t *problem);
  uint32_t (*c_pitch)(const w4a16_t *problem);
} w4a16_cube_hooks_t;

static const w4a16_cube_hooks_t cube_hooks;

enum ring_name { RING_A, RING_B, RING_L0, RING_L0C, RINGS };

typedef struct cube {
  w4a16_t problem;
  ring_t ring[RINGS];
  uint32_t room[2];   // uses of the rings of L1 that have a slot, by the frees pushed so far
  uint32_t products;  // so far
} cube_t;

// A walk over the pieces, and over the parts of a that go with them.
typedef struct walk {
  w4a16_piece_t piece;
  uint32_t depth;  // columns of a that are loaded at a time, for this unit
  uint32_t a_use;  // of the part that goes with the piece
  bool a_loaded;
} walk_t;

static bool is_direct(const cube_t *cube) { return cube->problem.args.phases == W4A16_DIRECT; }

// The problem is open.
static void cube_open(cube_t *cube) {
  // A part of a goes with a piece of B at least.
  const w4a16_t *problem = &cube->problem;
  const uint32_t rows = round_up(min_u32(problem->args.m, problem->tile_rows), STRIP);
  const uint32_t least = 2 * rows * problem->piece_rows;
  const uint32_t slots = A_SLOTS_MAX * least <= W4A16_A_BYTES ? A_SLOTS_MAX : 2;
  cube->ring[RING_A] = (ring_t){PIPE_MTE2, PIPE_MTE1, 0, (uint8_t)slots, 0, W4A16_A_BYTES / slots};
  cube->ring[RING_B] = (ring_t){PIPE_MTE2, PIPE_MTE1, A_SLOTS_MAX, W4A16_B_SLOTS, W4A16_B_BASE, W4A16_SLOT};
  cube->ring[RING_L0] = (ring_t){PIPE_MTE1, PIPE_M, 0, 2, 0, L0_HALF};
  cube->ring[RING_L0C] = (ring_t){PIPE_M, PIPE_FIX, 0, 2, 0, L0C_HALF};
  cube->room[RING_A] = slots;
  cube->room[RING_B] = W4A16_B_SLOTS;
  cube->products = 0;
}

// ---- The walk ----

// Whole pieces of a unit in as many columns of a as a slot holds.
static uint32_t depth_of(const cube_t *cube, const w4a16_unit_t *unit) {
  const uint32_t piece = cube->problem.piece_rows;
  const uint32_t bytes = cube->ring[RING_A].bytes;
  const uint32_t most = min_u32(A_DEPTH_MAX, bytes / 2 / round_up(unit->rows, STRIP));
  return max_u32(piece, most / piece * piece);
}

static walk_t first_step(const cube_t *cube) {
  walk_t walk = {.piece = w4a16_first_piece(&cube->problem)};
  if (walk.piece.valid) {
    walk.depth = depth_of(cube, &walk.piece.unit);
  }
  return walk;
}

// Columns of a before the piece's in the part that it is in.
static uint32_t skipped(const walk_t *walk) { return (walk->piece.k - walk->piece.unit.k) % walk->depth; }

static bool opens_unit(const walk_t *walk) { return walk->piece.k == walk->piece.unit.k; }

static bool closes_unit(const walk_t *walk) { return walk->piece.k + walk->piece.rows == walk->piece.unit.k_end; }

static bool closes_part(const walk_t *walk) {
  return closes_unit(walk) || skipped(walk) + walk->piece.rows == walk->depth;
}

static void next_step(const cube_t *cube, walk_t *walk) {
  if (closes_part(walk)) {
    walk->a_use++;
    walk->a_loaded = false;
  }
  w4a16_next_piece(&cube->problem, &walk->piece);
  if (walk->piece.valid && opens_unit(walk)) {
    walk->depth = depth_of(cube, &walk->piece.unit);
  }
}

// ---- Loading: MTE2 ----

static inline uint64_t product_a(const cube_t *cube, const w4a16_unit_t *unit) {
  return cube_hooks.a != NULL ? cube_hooks.a(&cube->problem, unit) : cube->problem.args.a;
}

static void load_a(const cube_t *cube, const walk_t *next) {
  const w4a16_args_t *args = &cube->problem.args;
  const w4a16_unit_t *unit = &next->piece.unit;
  const ring_t *ring = &cube->ring[RING_A];
  const uint32_t pitch = cube_hooks.a_pitch != NULL ? cube_hooks.a_pitch(&cube->problem) : 2 * args->k;
  ring_wait_free(ring, next->a_use);
  data_copy_gm_to_l1(.gm = product_a(cube, unit) + (uint64_t)unit->row * pitch + 2 * next->piece.k, .gm_pitch = pitch,
                     .l1 = ring_slot(ring, next->a_use), .rows = unit->rows,
                     .cols = min_u32(next->depth, unit->k_end - next->piece.k));
  ring_set_full(ring, next->a_use);
}

// From the ring that this AI core's vector cores fill.
static void load_made(const cube_t *cube, const w4a16_piece_t *piece) {
  const w4a16_t *problem = &cube->problem;
  const ring_t *ring = &cube->ring[RING_B];
  const uint32_t slot = problem->core * W4A16_RING + piece->number % W4A16_RING;
  cross_core_wait_flag(PIPE_MTE2, FLAG_READY);
  ring_wait_free(ring, piece->number);
  data_copy_gm_to_l1(.gm = problem->args.b + (uint64_t)slot * W4A16_SLOT, .gm_pitch = 2 * problem->args.tile_cols,
                     .l1 = ring_slot(ring, piece->number), .rows = piece->rows, .cols = piece->unit.cols);
  ring_set_full(ring, piece->number);
  cross_core_set_flag(PIPE_MTE2, FLAG_FREE);
}

static void load_b(const cube_t *cube, const w4a16_piece_t *piece) {
  const w4a16_args_t *args = &cube->problem.args;
  const ring_t *ring = &cube->ring[RING_B];
  if (args->phases == W4A16_OVERLAPPED) {
    load_made(cube, piece);
    return;
  }
  if (piece->number == 0) {
    cross_core_wait_flag(PIPE_MTE2, FLAG_DEQUANTISED);
  }
  ring_wait_free(ring, piece->number);
  data_copy_gm_to_l1(.gm = w4a16_b_row(&cube->problem, piece->k, piece->unit.col), .gm_pitch = cube->problem.b_pitch,
                     .l1 = ring_slot(ring, piece->number), .rows = piece->rows, .cols = piece->unit.cols);
  ring_set_full(ring, piece->number);
}

// All loads that may be pushed, in the order of their use: those whose slot is free once what is
// pushed already is done.  For if MTE2's queue were full of others, this program would wait for it
// and could not push what frees their slots.
static void load_some(const cube_t *cube, walk_t *next) {
  while (next->piece.valid) {
    if (!next->a_loaded) {
      if (next->a_use >= cube->room[RING_A]) {
        return;
      }
      load_a(cube, next);
      next->a_loaded = true;
    }
    if (!is_direct(cube)) {
      if (next->piece.number >= cube->room[RING_B]) {
        return;
      }
      load_b(cube, &next->piece);
    }
    next_step(cube, next);
  }
}

// ---- Multiplying: MTE1, M, FIX ----

// Waits for the piece, and for the part of a that begins with it.
static void wait_piece(const cube_t *cube, const walk_t *walk) {
  if (skipped(walk) == 0) {
    ring_wait_full(&cube->ring[RING_A], walk->a_use);
  }
  if (is_direct(cube)) {
    cross_core_wait_flag(PIPE_MTE1, FLAG_READY);
  } else {
    ring_wait_full(&cube->ring[RING_B], walk->piece.number);
  }
}

static void free_piece(cube_t *cube, const walk_t *walk) {
  if (is_direct(cube)) {
    cross_core_set_flag(PIPE_MTE1, FLAG_FREE);
  } else {
    ring_set_free(&cube->ring[RING_B], walk->piece.number);
    cube->room[RING_B]++;
  }
  if (closes_part(walk)) {
    ring_set_free(&cube->ring[RING_A], walk->a_use);
    cube->room[RING_A]++;
  }
}

// Rows from `first` on of the piece.
static void multiply_rows(cube_t *cube, const walk_t *walk, uint32_t first, uint32_t depth, uint32_t l0c) {
  const w4a16_unit_t *unit = &walk->piece.unit;
  const ring_t *l0 = &cube->ring[RING_L0];
  const uint32_t use = cube->products++;
  const uint32_t part = ring_slot(l0, use);
  const uint32_t a_pitch = round_up(unit->rows, STRIP) * STRIP_ROW;
  const uint32_t b_pitch = round_up(walk->piece.rows, STRIP) * STRIP_ROW;
  const bool starts = opens_unit(walk) && first == 0;

  ring_wait_free(l0, use);
  load_data_a(.l1 = ring_slot(&cube->ring[RING_A], walk->a_use) + (skipped(walk) + first) / STRIP * a_pitch,
              .l1_pitch = a_pitch, .l0a = part, .m = unit->rows, .k = depth);
  load_data_b(.l1 = ring_slot(&cube->ring[RING_B], walk->piece.number) + first * STRIP_ROW, .l1_pitch = b_pitch,
              .l0b = part, .k = depth, .n = unit->cols);
  ring_set_full(l0, use);

  ring_wait_full(l0, use);
  mmad(.l0a = part, .l0b = part, .l0c = l0c, .m = unit->rows, .n = unit->cols, .k = depth, .accumulate = starts ? 0 : 1,
       .type = TYPE_F16);
  ring_set_free(l0, use);
}

static inline uint64_t product_c(const cube_t *cube, const w4a16_unit_t *unit) {
  return cube_hooks.c != NULL ? cube_hooks.c(&cube->problem, unit) : cube->problem.args.c;
}

static void store(const cube_t *cube, const w4a16_unit_t *unit, uint32_t l0c) {
  const w4a16_args_t *args = &cube->problem.args;
  const uint64_t first = (uint64_t)unit->row * args->n + unit->col;
  const bool wide = args->reduce == 1 || args->out_f32 == 1;
  const uint64_t to = args->reduce == 1 ? args->partial + unit->split * args->partial_bytes : product_c(cube, unit);
  if (cube_hooks.c_pitch != NULL) {
    const uint32_t pitch = cube_hooks.c_pitch(&cube->problem);
    fixpipe(.l0c = l0c, .m = unit->rows, .n = unit->cols,
            .gm = to + (uint64_t)unit->row * pitch + unit->col * (wide ? 4 : 2), .gm_pitch = pitch,
            .type = wide ? TYPE_F32 : TYPE_F16, .op = GM_STORE);
    return;
  }
  fixpipe(.l0c = l0c, .m = unit->rows, .n = unit->cols, .gm = to + first * (wide ? 4 : 2),
          .gm_pitch = args->n * (wide ? 4 : 2), .type = wide ? TYPE_F32 : TYPE_F16, .op = GM_STORE);
}

static void multiply_piece(cube_t *cube, const walk_t *walk, uint32_t unit) {
  const ring_t *l0c = &cube->ring[RING_L0C];
  const uint32_t step = cube->problem.piece_rows / 2;
  wait_piece(cube, walk);
  if (opens_unit(walk)) {
    ring_wait_free(l0c, unit);
  }
  for (uint32_t first = 0; first < walk->piece.rows; first += step) {
    multiply_rows(cube, walk, first, min_u32(step, walk->piece.rows - first), ring_slot(l0c, unit));
  }
  free_piece(cube, walk);
  if (closes_unit(walk)) {
    ring_set_full(l0c, unit);
    ring_wait_full(l0c, unit);
    store(cube, &walk->piece.unit, ring_slot(l0c, unit));
    ring_set_free(l0c, unit);
  }
}

// ---- The whole ----

static void for_rings(const cube_t *cube, void (*act)(const ring_t *ring)) {
  for (uint32_t i = 0; i < RINGS; ++i) {
    if (i != RING_B || !is_direct(cube)) {
      act(&cube->ring[i]);
    }
  }
}

static void multiply(cube_t *cube) {
  cube_open(cube);
  walk_t loads = first_step(cube);
  walk_t walk = loads;
  for_rings(cube, ring_open);
  for (uint32_t unit = 0; walk.piece.valid; unit += closes_unit(&walk) ? 1 : 0, next_step(cube, &walk)) {
    load_some(cube, &loads);
    multiply_piece(cube, &walk, unit);
  }
  if (cube->problem.args.phases == W4A16_SEQUENTIAL && walk.piece.number == 0) {
    cross_core_wait_flag(PIPE_MTE2, FLAG_DEQUANTISED);  // no unit is this core's
  }
  for_rings(cube, ring_drain);
}

#endif
