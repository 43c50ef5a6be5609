// PRODUCT and PRODUCT_S8: products of a group's rows with its weights, on the cube cores (step_product_args_t). With
// PRODUCT_OF_S8 operands are 8-bit integers and sums S32. Two programs, so that a scalar core has nothing to decide.
//
//   for units (group, rows, columns), for pieces of k: one MMAD; FIX stores the unit's tile, beside the next one's
//   MMADs if L0C has room for both
//
//   MTE2   pieces of b, [depth][columns] in strips, and parts of a that several pieces go with
//   MTE1   what one MMAD takes: all of a piece of b
//
// AI core i of n takes the units i, i + n, ... of all groups; units below each other come first, for they share b. A
// piece is as deep as L0 takes. With few rows nothing counts but b's way from HBM: twelve pieces of it are under way.
// One chain of fused multiply-adds for an element, k ascending.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_STEP_PRODUCT_IMPL_H
#define AMALGAM_SW_KERNELS_STEP_PRODUCT_IMPL_H

#include <stdbool.h>

#include "hal/hal.h"
#include "kernels/step/routing.h"
#include "kernels/step/step.h"
#include "lib/panic.h"
#include "lib/ring.h"
#include "lib/tiling.h"

#ifdef PRODUCT_OF_S8
enum { BYTES = 1, ELEMENT = ELEMENT_8, SUMS = TYPE_S32 };
#else
enum { BYTES = 2, ELEMENT = ELEMENT_16, SUMS = TYPE_F32 };
#endif

enum {
  COLS = STRIP_ROW / BYTES,  // of a strip
  MAX_COLS = 256,            // of a tile
  MAX_ROWS = 128,
  L0C_BYTES = 128 * 1024,  // two tiles, or one of more than half of that
  SLOT = 32 * 1024,        // half of L0A, or of L0B
  PIECE_ELEMENTS = SLOT / BYTES,
  A_SLOTS = 4,
  B_SLOTS = 12,
};

enum operand { A, B, OPERANDS };

static const ring_t in_l1[OPERANDS] = {
    {PIPE_MTE2, PIPE_MTE1, 0, A_SLOTS, 0, SLOT},
    {PIPE_MTE2, PIPE_MTE1, A_SLOTS, B_SLOTS, A_SLOTS *SLOT, SLOT},
};
static const ring_t l0 = {PIPE_MTE1, PIPE_M, 0, 2, 0, SLOT};

typedef struct product {
  const step_product_args_t *args;
  uint32_t cores;
  uint32_t tile_rows, col_tiles;
  ring_t l0c;
  uint32_t room[OPERANDS];  // uses of the rings of L1 that have a slot, by the frees pushed so far
  uint32_t products, results;
  routing_t routing;
} product_t;

typedef struct unit {
  uint32_t group, tile;           // of the group's; beyond the last group: there is no unit
  uint32_t row, rows, col, cols;  // row counts from the group's first
  uint32_t depth, a_depth;        // k of a piece of b, of a part of a
} unit_t;

// A walk over the pieces of all units.
typedef struct walk {
  unit_t unit;
  uint32_t k;
  uint32_t use[OPERANDS];  // of the rings
  bool a_loaded;           // the part of a that goes with the piece
} walk_t;

static bool types_valid(const step_product_args_t *p) {
  return BYTES == 1 ? p->type == TYPE_S8 && p->c_type == TYPE_S32
                    : (p->type == TYPE_F16 || p->type == TYPE_BF16) &&
                          (p->c_type == TYPE_F32 || p->c_type == TYPE_F16 || p->c_type == TYPE_BF16);
}

static bool valid(const step_product_args_t *p) {
  return p->m >= 1 && p->n >= COLS && p->n % COLS == 0 && p->k >= COLS && p->k % COLS == 0 && p->tile_cols >= COLS &&
         p->tile_cols <= MAX_COLS && p->tile_cols % COLS == 0 && types_valid(p) &&
         (!routing_used(&p->routing) || p->groups == p->routing.here);
}

static uint32_t rows_of(const product_t *product, uint32_t group) {
  const bool routed = routing_used(&product->args->routing);
  return routed ? routing_rows(&product->routing, group) : product->args->m;
}

static uint32_t most_rows(const product_t *product) {
  uint32_t most = 1;
  for (uint32_t group = 0; group < product->args->groups; ++group) {
    most = max_u32(most, rows_of(product, group));
  }
  return most;
}

static void open(product_t *product, const step_product_args_t *args) {
  require(valid(args), PANIC_ARGUMENTS);
  product->args = args;
  product->cores = (uint32_t)hal_read(REG_CORE_COUNT);
  product->col_tiles = ceil_div(args->n, args->tile_cols);
  product->room[A] = A_SLOTS;
  product->room[B] = B_SLOTS;
  product->products = product->results = 0;
  uint32_t rows = args->m;
  if (routing_used(&args->routing)) {
    routing_read(&product->routing, &args->routing);
    rows = most_rows(product);
  }
  product->tile_rows = min_u32(MAX_ROWS, round_up(rows, STRIP));
  const uint32_t tile = 4 * product->tile_rows * args->tile_cols;
  product->l0c = (ring_t){PIPE_M, PIPE_FIX, 0, tile > L0C_BYTES / 2 ? 1 : 2, 0, tile};
}

// ---- Units ----

static bool is_there(const product_t *product, const unit_t *unit) { return unit->group < product->args->groups; }

// The group's first row of a or c, whose rows are pitch bytes apart.
static uint64_t first_row(const product_t *product, uint32_t group, uint64_t group_bytes, uint32_t pitch) {
  const bool routed = routing_used(&product->args->routing);
  return routed ? (uint64_t)product->routing.start[group] * pitch : group * group_bytes;
}

// Completes a unit whose tile counts from its group's first, and may be one of a later group.
static void settle(const product_t *product, unit_t *unit) {
  const step_product_args_t *args = product->args;
  for (; is_there(product, unit); unit->group++) {
    const uint32_t rows = rows_of(product, unit->group);
    const uint32_t row_tiles = ceil_div(rows, product->tile_rows);
    const uint32_t tiles = row_tiles * product->col_tiles;
    if (unit->tile < tiles) {
      const uint32_t row = unit->tile % row_tiles, col = unit->tile / row_tiles;
      unit->row = row * product->tile_rows;
      unit->rows = tile_length(rows, product->tile_rows, row);
      unit->col = col * args->tile_cols;
      unit->cols = tile_length(args->n, args->tile_cols, col);
      const uint32_t padded = round_up(unit->rows, STRIP);
      unit->depth = PIECE_ELEMENTS / max_u32(padded, unit->cols) / COLS * COLS;
      unit->a_depth = PIECE_ELEMENTS / padded / unit->depth * unit->depth;
      return;
    }
    unit->tile -= tiles;
  }
}

static walk_t first_walk(const product_t *product) {
  walk_t walk = {.unit = {.tile = (uint32_t)hal_read(REG_CORE_INDEX)}};
  settle(product, &walk.unit);
  return walk;
}

static bool opens_part(const walk_t *walk) { return walk->k % walk->unit.a_depth == 0; }
static bool closes_unit(const product_t *product, const walk_t *walk) {
  return walk->k + walk->unit.depth >= product->args->k;
}
static bool closes_part(const product_t *product, const walk_t *walk) {
  return closes_unit(product, walk) || (walk->k + walk->unit.depth) % walk->unit.a_depth == 0;
}

static void next_piece(const product_t *product, walk_t *walk) {
  walk->use[B]++;
  if (closes_part(product, walk)) {
    walk->use[A]++;
    walk->a_loaded = false;
  }
  if (closes_unit(product, walk)) {
    walk->k = 0;
    walk->unit.tile += product->cores;
    settle(product, &walk->unit);
  } else {
    walk->k += walk->unit.depth;
  }
}

// ---- Loading: MTE2 ----

static void load_a(const product_t *product, const walk_t *next) {
  const step_product_args_t *args = product->args;
  const unit_t *unit = &next->unit;
  const ring_t *ring = &in_l1[A];
  const uint64_t row =
      first_row(product, unit->group, args->a_group, args->a_pitch) + (uint64_t)unit->row * args->a_pitch;
  ring_wait_free(ring, next->use[A]);
  data_copy_gm_to_l1(.gm = args->a + row + BYTES * next->k, .gm_pitch = args->a_pitch,
                     .l1 = ring_slot(ring, next->use[A]), .rows = unit->rows,
                     .cols = min_u32(unit->a_depth, args->k - next->k), .element = ELEMENT);
  ring_set_full(ring, next->use[A]);
}

static void load_b(const product_t *product, const walk_t *next) {
  const step_product_args_t *args = product->args;
  const unit_t *unit = &next->unit;
  const ring_t *ring = &in_l1[B];
  const uint32_t strip = args->k * STRIP_ROW;
  ring_wait_free(ring, next->use[B]);
  data_copy_gm_to_l1(.gm = args->b + unit->group * args->b_group + (uint64_t)(unit->col / COLS) * strip +
                           next->k * STRIP_ROW,
                     .gm_pitch = strip, .l1 = ring_slot(ring, next->use[B]),
                     .rows = min_u32(unit->depth, args->k - next->k), .cols = unit->cols, .strips = 1,
                     .element = ELEMENT);
  ring_set_full(ring, next->use[B]);
}

// All loads that may be pushed, in the order of their use: those whose slot is free once what is
// pushed already is done.  For if MTE2's queue were full of others, this program would wait for it
// and could not push what frees their slots.
static void load_some(const product_t *product, walk_t *next) {
  while (is_there(product, &next->unit)) {
    const bool a = opens_part(next) && !next->a_loaded;
    const enum operand which = a ? A : B;
    if (next->use[which] >= product->room[which]) {
      return;
    }
    if (a) {
      load_a(product, next);
      next->a_loaded = true;
    } else {
      load_b(product, next);
      next_piece(product, next);
    }
  }
}

// ---- Multiplying: MTE1, M, FIX ----

static void free_slot(product_t *product, const walk_t *walk, enum operand which) {
  ring_set_free(&in_l1[which], walk->use[which]);
  product->room[which]++;
}

static void move_operands(product_t *product, const walk_t *walk, uint32_t depth) {
  const unit_t *unit = &walk->unit;
  const uint32_t a_pitch = round_up(unit->rows, STRIP) * STRIP_ROW;
  const uint32_t part = ring_slot(&l0, product->products);
  ring_wait_free(&l0, product->products);
  if (opens_part(walk)) {
    ring_wait_full(&in_l1[A], walk->use[A]);
  }
  load_data_a(.l1 = ring_slot(&in_l1[A], walk->use[A]) + walk->k % unit->a_depth / COLS * a_pitch, .l1_pitch = a_pitch,
              .l0a = part, .m = unit->rows, .k = depth, .element = ELEMENT);
  if (closes_part(product, walk)) {
    free_slot(product, walk, A);
  }
  ring_wait_full(&in_l1[B], walk->use[B]);
  load_data_b(.l1 = ring_slot(&in_l1[B], walk->use[B]), .l1_pitch = depth * STRIP_ROW, .l0b = part, .k = depth,
              .n = unit->cols, .element = ELEMENT);
  free_slot(product, walk, B);
  ring_set_full(&l0, product->products);
}

static void multiply(product_t *product, const walk_t *walk) {
  const unit_t *unit = &walk->unit;
  const uint32_t depth = min_u32(unit->depth, product->args->k - walk->k);
  move_operands(product, walk, depth);
  const uint32_t use = product->products++;
  const uint32_t part = ring_slot(&l0, use);
  ring_wait_full(&l0, use);
  if (walk->k == 0) {
    ring_wait_free(&product->l0c, product->results);
  }
  mmad(.l0a = part, .l0b = part, .l0c = ring_slot(&product->l0c, product->results), .m = unit->rows, .n = unit->cols,
       .k = depth, .accumulate = walk->k == 0 ? 0 : 1, .type = product->args->type);
  ring_set_free(&l0, use);
}

static void store(product_t *product, const unit_t *unit) {
  const step_product_args_t *args = product->args;
  const uint32_t bytes = args->c_type == SUMS ? 4 : 2;
  const uint64_t row =
      first_row(product, unit->group, args->c_group, args->c_pitch) + (uint64_t)unit->row * args->c_pitch;
  const uint32_t number = product->results++;
  ring_set_full(&product->l0c, number);
  ring_wait_full(&product->l0c, number);
  fixpipe(.l0c = ring_slot(&product->l0c, number), .m = unit->rows, .n = unit->cols,
          .gm = args->c + row + bytes * unit->col, .gm_pitch = args->c_pitch, .type = args->c_type, .op = GM_STORE,
          .from = SUMS);
  ring_set_free(&product->l0c, number);
}

static void for_rings(const product_t *product, void (*act)(const ring_t *ring)) {
  act(&in_l1[A]);
  act(&in_l1[B]);
  act(&l0);
  act(&product->l0c);
}

static void multiply_groups(const step_product_args_t *args) {
  product_t product;
  open(&product, args);
  walk_t use = first_walk(&product);
  if (!is_there(&product, &use.unit)) {
    return;
  }
  walk_t loads = use;
  for_rings(&product, ring_open);
  for (; is_there(&product, &use.unit); next_piece(&product, &use)) {
    load_some(&product, &loads);
    multiply(&product, &use);
    if (closes_unit(&product, &use)) {
      store(&product, &use.unit);
    }
  }
  for_rings(&product, ring_drain);
}

#endif
