// Kernel gemm_tiles: c = a x b as the host cuts it, see gemm_tiles_args_t.
//
//   for units, for chunks of k, for the parts of the tile, for k by steps: one MMAD
//   FIX takes each part to global memory when its last chunk is done, beside the MMADs of the next one
//   with several splits the vector cores then add the slices' sums
//
// None of the cuts but the slices shows in the bits: every chain takes its products in ascending k.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm_tiles.h"

#include "lib/slice_sum.h"

// ---- Loading: MTE2 ----

typedef struct loader {
  unit_t unit;
  enum operand which;
  uint32_t k;  // in the slice
} loader_t;

static void load_a(const tiles_t *tiles, const loader_t *next, uint32_t use) {
  const gemm_args_t *p = &tiles->args.product;
  const unit_t *unit = &next->unit;
  const ring_t *ring = &tiles->ring[RING_A];
  ring_wait_free(ring, use);
  data_copy_gm_to_l1(.gm = p->a + (uint64_t)unit->row * p->a_pitch + 2 * (unit->k + next->k),
                     .gm_pitch = p->a_pitch, .l1 = ring_slot(ring, use), .rows = unit->rows,
                     .cols = min_u32(tiles->depth[A], unit->depth - next->k));
  ring_set_full(ring, use);
}

static void load_b(const tiles_t *tiles, const loader_t *next, uint32_t use) {
  const gemm_args_t *p = &tiles->args.product;
  const unit_t *unit = &next->unit;
  const ring_t *ring = &tiles->ring[RING_B];
  const uint32_t depth = min_u32(tiles->depth[B], unit->depth - next->k);
  const uint64_t k = unit->k + next->k;
  ring_wait_free(ring, use);
  if (tiles->args.layout == GEMM_ND) {
    data_copy_gm_to_l1(.gm = p->b + k * p->b_pitch + 2 * unit->col, .gm_pitch = p->b_pitch,
                       .l1 = ring_slot(ring, use), .rows = depth, .cols = unit->cols);
  } else if (tiles->args.layout == GEMM_DN) {
    data_copy_gm_to_l1(.gm = p->b + (uint64_t)unit->col * p->b_pitch + 2 * k, .gm_pitch = p->b_pitch,
                       .l1 = ring_slot(ring, use), .rows = unit->cols, .cols = depth);
  } else {
    data_copy_gm_to_l1(.gm = p->b + (uint64_t)(unit->col / STRIP) * p->b_pitch + k * STRIP_ROW,
                       .gm_pitch = p->b_pitch, .l1 = ring_slot(ring, use), .rows = depth,
                       .cols = unit->cols, .strips = 1);
  }
  ring_set_full(ring, use);
}

// A chunk's piece of a, then its pieces of b.
static void next_load(const tiles_t *tiles, loader_t *next) {
  do {
    if (next->which == A) {
      next->which = B;
    } else {
      next->k += tiles->depth[B];
      next->which = next->k % tiles->depth[A] == 0 ? A : B;
    }
    if (next->k >= next->unit.depth) {
      next_unit(tiles, &next->unit);
      next->which = A;
      next->k = 0;
    }
  } while (next->unit.number < tiles->units && !loads(tiles, &next->unit, next->which));
}

// All loads that may be pushed, in the order of their use: those whose slot is free once what is
// pushed already is done.  For if MTE2's queue were full of others, this program would wait for it
// and could not push what frees their slots.
static void load_some(const tiles_t *tiles, loader_t *next) {
  while (next->unit.number < tiles->units) {
    const uint32_t use = use_of(tiles, &next->unit, next->which, next->k);
    if (use >= tiles->room[next->which]) {
      return;
    }
    if (next->which == A) {
      load_a(tiles, next, use);
    } else {
      load_b(tiles, next, use);
    }
    next_load(tiles, next);
  }
}

// ---- Multiplying: MTE1, M, FIX ----

typedef struct part {
  uint32_t row, rows, col, cols;  // in the tile
  bool first, last;               // of the tile's parts
  uint32_t number;                // among this core's
} part_t;

static part_t part_of(const tiles_t *tiles, const unit_t *unit, uint32_t index) {
  const uint32_t down = ceil_div(unit->rows, tiles->part_rows);
  const uint32_t across = ceil_div(unit->cols, tiles->part_cols);
  const uint32_t row = down > 1 ? index : 0, col = down > 1 ? 0 : index;
  return (part_t){.row = row * tiles->part_rows,
                  .rows = tile_length(unit->rows, tiles->part_rows, row),
                  .col = col * tiles->part_cols,
                  .cols = tile_length(unit->cols, tiles->part_cols, col),
                  .first = index == 0,
                  .last = index + 1 == down * across,
                  .number = tiles->results + index};
}

static void free_piece(tiles_t *tiles, enum operand which, uint32_t use) {
  ring_set_free(&tiles->ring[which], use);
  tiles->room[which]++;
}

// Both operands of an MMAD to L0A and L0B.  Pieces are waited for by the tile's first part, and given
// back by its last.
static void move_operands(tiles_t *tiles, const unit_t *unit, const part_t *part, uint32_t k,
                          uint32_t depth, uint32_t l0) {
  const uint32_t left = use_of(tiles, unit, A, k), right = use_of(tiles, unit, B, k);
  const uint32_t in_a = k % tiles->depth[A], in_b = k % tiles->depth[B];
  const uint32_t a_pitch = round_up(unit->rows, STRIP) * STRIP_ROW;
  const uint32_t b_depth = min_u32(tiles->depth[B], unit->depth - k + in_b);
  const bool turned = tiles->args.layout == GEMM_DN;
  const uint32_t b_pitch = round_up(turned ? unit->cols : b_depth, STRIP) * STRIP_ROW;
  const uint32_t b_at = turned ? in_b / STRIP * b_pitch + part->col * STRIP_ROW
                               : part->col / STRIP * b_pitch + in_b * STRIP_ROW;
  const bool ends = k + depth == unit->depth;
  if (part->first && in_a == 0 && loads(tiles, unit, A)) {
    ring_wait_full(&tiles->ring[RING_A], left);
  }
  load_data_a(.l1 = ring_slot(&tiles->ring[RING_A], left) + in_a / STRIP * a_pitch + part->row * STRIP_ROW,
              .l1_pitch = a_pitch, .l0a = l0, .m = part->rows, .k = depth);
  if (part->first && in_b == 0 && loads(tiles, unit, B)) {
    ring_wait_full(&tiles->ring[RING_B], right);
  }
  load_data_b(.l1 = ring_slot(&tiles->ring[RING_B], right) + b_at, .l1_pitch = b_pitch, .l0b = l0,
              .k = depth, .n = part->cols, .transpose = turned);
  if (part->last && frees(tiles, unit, B) && (ends || in_b + depth == tiles->depth[B])) {
    free_piece(tiles, B, right);
  }
  if (part->last && frees(tiles, unit, A) && (ends || in_a + depth == tiles->depth[A])) {
    free_piece(tiles, A, left);
  }
}

static void multiply(tiles_t *tiles, const unit_t *unit, const part_t *part, uint32_t k, uint32_t depth) {
  const ring_t *l0 = &tiles->ring[RING_L0];
  const ring_t *l0c = &tiles->ring[RING_L0C];
  const uint32_t use = tiles->products++;

  ring_wait_free(l0, use);
  move_operands(tiles, unit, part, k, depth, ring_slot(l0, use));
  ring_set_full(l0, use);

  ring_wait_full(l0, use);
  if (k == 0) {
    ring_wait_free(l0c, part->number);
  }
  mmad(.l0a = ring_slot(l0, use), .l0b = ring_slot(l0, use), .l0c = ring_slot(l0c, part->number),
       .m = part->rows, .n = part->cols, .k = depth, .accumulate = k == 0 ? 0 : 1,
       .type = tiles->args.product.type);
  ring_set_free(l0, use);
}

static void store(const tiles_t *tiles, const unit_t *unit, const part_t *part) {
  const gemm_tiles_args_t *a = &tiles->args;
  const bool sums = a->splits > 1;
  const uint32_t bytes = sums ? 4 : c_bytes(a);
  const uint32_t pitch = sums ? 4 * a->product.n : a->product.c_pitch;
  const uint64_t to = sums ? a->partial + unit->split * a->partial_bytes : a->product.c;
  const ring_t *l0c = &tiles->ring[RING_L0C];
  ring_set_full(l0c, part->number);
  ring_wait_full(l0c, part->number);
  fixpipe(.l0c = ring_slot(l0c, part->number), .m = part->rows, .n = part->cols,
          .gm = to + (uint64_t)(unit->row + part->row) * pitch + (uint64_t)bytes * (unit->col + part->col),
          .gm_pitch = pitch, .type = sums ? TYPE_F32 : a->c_type, .op = GM_STORE);
  ring_set_free(l0c, part->number);
}

// From k to end in the slice, for all parts.
static void multiply_chunk(tiles_t *tiles, loader_t *next, const unit_t *unit, uint32_t k, uint32_t end) {
  part_t part = {.last = false};
  for (uint32_t i = 0; !part.last; i++) {
    part = part_of(tiles, unit, i);
    for (uint32_t piece = k; piece < end; piece += tiles->depth[B]) {
      const uint32_t piece_end = min_u32(piece + tiles->depth[B], end);
      load_some(tiles, next);
      for (uint32_t at = piece; at < piece_end; at += tiles->step) {
        multiply(tiles, unit, &part, at, min_u32(tiles->step, piece_end - at));
      }
    }
    if (end == unit->depth) {
      store(tiles, unit, &part);
    }
  }
  if (end == unit->depth) {
    tiles->results = part.number + 1;
  }
}

static void for_rings(const tiles_t *tiles, void (*act)(const ring_t *ring)) {
  for (uint32_t i = 0; i < RINGS; i++) {
    act(&tiles->ring[i]);
  }
}

void cube_main(void) {
  tiles_t tiles;
  tiles_open(&tiles);
  cut_tile(&tiles);
  open_rings(&tiles);
  unit_t unit = first_unit(&tiles);
  loader_t next = {.unit = unit};
  for_rings(&tiles, ring_open);
  for (; unit.number < tiles.units; next_unit(&tiles, &unit)) {
    for (uint32_t k = 0; k < unit.depth; k += tiles.depth[A]) {
      multiply_chunk(&tiles, &next, &unit, k, min_u32(k + tiles.depth[A], unit.depth));
    }
  }
  for_rings(&tiles, ring_drain);
  if (tiles.args.splits > 1) {
    sync_all(PIPE_FIX);
    cross_core_set_flag(PIPE_FIX, FLAG_MULTIPLIED);
  }
}

void vector_main(void) {
  const gemm_tiles_args_t *args = hal_gm(hal_read(REG_ARGS));
  require(args_valid(args), PANIC_ARGUMENTS);
  if (args->splits > 1) {
    const slice_sum_t sum = {.partial = args->partial,
                             .partial_bytes = args->partial_bytes,
                             .out = args->product.c,
                             .elements = (uint64_t)args->product.m * args->product.n,
                             .slices = args->splits,
                             .type = args->c_type};
    slice_sum_add(&sum, FLAG_MULTIPLIED);
  }
}
