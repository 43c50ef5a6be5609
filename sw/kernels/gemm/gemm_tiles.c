// Kernel gemm_tiles: c = a x b as the host cuts it, see gemm_tiles_args_t.
//
//   for units, for chunks of k, for the parts of the tile, for k by steps: one MMAD
//   FIX takes each part to global memory when its last chunk is done, beside the MMADs of the next one
//   with several splits the vector cores then add the slices' sums
//
// Built with GEMM_S8 it is gemm_tiles_s8: 8-bit integers, sums in S32, and scales on the way to memory.
// None of the cuts but the slices shows in the bits: every chain takes its products in ascending k.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm_tiles.h"

#include "lib/slice_sum.h"

// ---- Loading: MTE2 ----

// The next load of a chunk: a's piece; then b's; then the second part's own piece, of a or of b.
typedef struct loader {
  unit_t unit;
  uint32_t chunk;  // k in the slice
  uint32_t item;
  enum operand which;
  uint32_t k, part;
  piece_t to;
} loader_t;

static void load_a(const tiles_t *tiles, const loader_t *next) {
  const gemm_args_t *p = &tiles->args.product;
  const unit_t *unit = &next->unit;
  const ring_t *ring = &tiles->ring[next->to.ring];
  const uint32_t first = tiles->by_part[A] ? next->part * tiles->part_rows : 0;
  const uint32_t rows = tiles->by_part[A] ? min_u32(tiles->part_rows, unit->rows - first) : unit->rows;
  ring_wait_free(ring, next->to.use);
  data_copy_gm_to_l1(.gm = p->a + (uint64_t)(unit->row + first) * p->a_pitch + BYTES * (unit->k + next->k),
                     .gm_pitch = p->a_pitch, .l1 = ring_slot(ring, next->to.use), .rows = rows,
                     .cols = min_u32(tiles->depth[A], unit->depth - next->k), .element = ELEMENT);
  ring_set_full(ring, next->to.use);
}

static void load_b(const tiles_t *tiles, const loader_t *next) {
  const gemm_args_t *p = &tiles->args.product;
  const unit_t *unit = &next->unit;
  const ring_t *ring = &tiles->ring[next->to.ring];
  const uint32_t depth = min_u32(tiles->depth[B], unit->depth - next->k);
  const uint64_t k = unit->k + next->k;
  const uint32_t first = tiles->by_part[B] ? next->part * tiles->part_cols : 0;
  const uint32_t cols = tiles->by_part[B] ? min_u32(tiles->part_cols, unit->cols - first) : unit->cols;
  const uint32_t col = unit->col + first;
  ring_wait_free(ring, next->to.use);
  if (tiles->args.layout == GEMM_ND) {
    data_copy_gm_to_l1(.gm = p->b + k * p->b_pitch + BYTES * col, .gm_pitch = p->b_pitch,
                       .l1 = ring_slot(ring, next->to.use), .rows = depth, .cols = cols, .element = ELEMENT);
  } else if (tiles->args.layout == GEMM_DN) {
    data_copy_gm_to_l1(.gm = p->b + (uint64_t)col * p->b_pitch + BYTES * k, .gm_pitch = p->b_pitch,
                       .l1 = ring_slot(ring, next->to.use), .rows = cols, .cols = depth, .element = ELEMENT);
  } else {
    data_copy_gm_to_l1(.gm = p->b + (uint64_t)(col / COLS) * p->b_pitch + k * STRIP_ROW, .gm_pitch = p->b_pitch,
                       .l1 = ring_slot(ring, next->to.use), .rows = depth, .cols = cols, .strips = 1,
                       .element = ELEMENT);
  }
  ring_set_full(ring, next->to.use);
}

// Finds the operand, the k and the part of the chunk's next item.
static void settle_load(const tiles_t *tiles, loader_t *next) {
  const uint32_t pieces = ceil_div(min_u32(tiles->depth[A], next->unit.depth - next->chunk), tiles->depth[B]);
  const bool again = next->item > pieces;
  next->which = next->item == 0 || (again && tiles->by_part[A]) ? A : B;
  next->k = next->chunk + (next->which == A || again ? 0 : (next->item - 1) * tiles->depth[B]);
  next->part = again ? 1 : 0;
  next->to = piece_of(tiles, &next->unit, next->which, next->k, next->part);
}

static uint32_t items(const tiles_t *tiles, const loader_t *next) {
  const bool own = tiles->by_part[A] || tiles->by_part[B];
  return 1 + ceil_div(min_u32(tiles->depth[A], next->unit.depth - next->chunk), tiles->depth[B]) +
         (own ? next->unit.parts - 1 : 0);
}

static void next_load(const tiles_t *tiles, loader_t *next) {
  do {
    if (++next->item == items(tiles, next)) {
      next->item = 0;
      next->chunk += tiles->depth[A];
    }
    if (next->chunk >= next->unit.depth) {
      next_unit(tiles, &next->unit);
      next->chunk = 0;
    }
    settle_load(tiles, next);
  } while (next->to.loaded && next->unit.number < tiles->units);
}

// All loads that may be pushed, in the order of their use: those whose slot is free once what is
// pushed already is done.  For if MTE2's queue were full of others, this program would wait for it
// and could not push what frees their slots.
static inline void load_some(const tiles_t *tiles, loader_t *next) {
  while (next->to.use < tiles->room[next->to.ring] && next->unit.number < tiles->units) {
    if (next->which == A) {
      load_a(tiles, next);
    } else {
      load_b(tiles, next);
    }
    next_load(tiles, next);
  }
}

// ---- Scales of a unit's columns: MTE2 to FIX ----

static const ring_t scales_ring = {PIPE_MTE2, PIPE_FIX, 0, 2, L1_BYTES, GEMM_SCALES_SLOT};

static inline bool has_scales(const tiles_t *tiles) { return BYTES == 1 && tiles->args.scales != 0; }

static uint32_t scales_use(const tiles_t *tiles, const unit_t *unit) { return unit->number / tiles->cores; }

static void load_scales(const tiles_t *tiles, const unit_t *unit) {
  const uint32_t rows = ceil_div(unit->cols * GEMM_SCALE_BYTES, STRIP_ROW);
  ring_wait_free(&scales_ring, scales_use(tiles, unit));
  data_copy_gm_to_l1(.gm = tiles->args.scales + (uint64_t)unit->col * GEMM_SCALE_BYTES, .gm_pitch = rows * STRIP_ROW,
                     .l1 = ring_slot(&scales_ring, scales_use(tiles, unit)), .rows = rows, .cols = STRIP, .strips = 1);
  ring_set_full(&scales_ring, scales_use(tiles, unit));
}

// ---- Multiplying: MTE1, M, FIX ----

typedef struct part {
  uint32_t row, rows, col, cols;  // in the tile
  uint32_t index, number;         // in the tile, and among this core's
  uint32_t l0c;
} part_t;

static part_t part_of(const tiles_t *tiles, const unit_t *unit, uint32_t index) {
  const bool rows = unit->rows > tiles->part_rows;
  const uint32_t row = rows ? index : 0, col = rows ? 0 : index;
  return (part_t){.row = row * tiles->part_rows,
                  .rows = tile_length(unit->rows, tiles->part_rows, row),
                  .col = col * tiles->part_cols,
                  .cols = tile_length(unit->cols, tiles->part_cols, col),
                  .index = index,
                  .number = tiles->results + index,
                  .l0c = ring_slot(&tiles->ring[RING_L0C], tiles->results + index)};
}

// A piece in L1, for a part.  One that parts share is waited for by the first, and given back by the last.
typedef struct side {
  piece_t piece;
  uint32_t at, pitch;  // of the next MMAD's operand; from strip to strip
  uint32_t step;       // of b, from MMAD to MMAD
  bool waits, gives_back;
} side_t;

static inline side_t side_of(const tiles_t *tiles, const unit_t *unit, const part_t *part, enum operand which,
                             uint32_t k) {
  const piece_t piece = piece_of(tiles, unit, which, k, part->index);
  const bool own = tiles->by_part[which];
  return (side_t){.piece = piece,
                  .at = ring_slot(&tiles->ring[piece.ring], piece.use),
                  .waits = !piece.loaded && (own || part->index == 0),
                  .gives_back = !piece.stays && (own || part->index + 1 == unit->parts)};
}

static side_t left_side(const tiles_t *tiles, const unit_t *unit, const part_t *part, uint32_t k) {
  side_t left = side_of(tiles, unit, part, A, k);
  left.pitch = round_up(tiles->by_part[A] ? part->rows : unit->rows, STRIP) * STRIP_ROW;
  left.at += tiles->by_part[A] ? 0 : part->row * STRIP_ROW;
  return left;
}

static side_t right_side(const tiles_t *tiles, const unit_t *unit, const part_t *part, uint32_t k, uint32_t end) {
  const uint32_t col = tiles->by_part[B] ? 0 : part->col;
  side_t right = side_of(tiles, unit, part, B, k);
  if (tiles->args.layout == GEMM_DN) {
    right.pitch = round_up(tiles->by_part[B] ? part->cols : unit->cols, STRIP) * STRIP_ROW;
    right.at += col * STRIP_ROW;
    right.step = tiles->step / COLS * right.pitch;
  } else {
    right.pitch = round_up(end - k, STRIP) * STRIP_ROW;
    right.at += col / COLS * right.pitch;
    right.step = tiles->step * STRIP_ROW;
  }
  return right;
}

static inline void free_piece(tiles_t *tiles, const piece_t *piece) {
  ring_set_free(&tiles->ring[piece->ring], piece->use);
  tiles->room[piece->ring]++;
}

static const ring_t l0 = {PIPE_MTE1, PIPE_M, 0, 2, 0, L0_HALF};

// MMADs of k to end, a piece of b.
static void multiply(tiles_t *tiles, const part_t *part, side_t *left, side_t *right, uint32_t k, uint32_t end) {
  const ring_t *l0c = &tiles->ring[RING_L0C];
  for (bool first = true; k < end; k += tiles->step, first = false) {
    const uint32_t depth = min_u32(tiles->step, end - k);
    const uint32_t use = tiles->products++;
    ring_wait_free(&l0, use);
    if (left->waits) {
      ring_wait_full(&tiles->ring[left->piece.ring], left->piece.use);
      left->waits = false;
    }
    load_data_a(.l1 = left->at, .l1_pitch = left->pitch, .l0a = ring_slot(&l0, use), .m = part->rows, .k = depth,
                .element = ELEMENT);
    if (first && right->waits) {
      ring_wait_full(&tiles->ring[right->piece.ring], right->piece.use);
    }
    load_data_b(.l1 = right->at, .l1_pitch = right->pitch, .l0b = ring_slot(&l0, use), .k = depth, .n = part->cols,
                .transpose = tiles->turned, .element = ELEMENT);
    ring_set_full(&l0, use);

    ring_wait_full(&l0, use);
    if (k == 0) {
      ring_wait_free(l0c, part->number);
    }
    mmad(.l0a = ring_slot(&l0, use), .l0b = ring_slot(&l0, use), .l0c = part->l0c, .m = part->rows, .n = part->cols,
         .k = depth, .accumulate = k == 0 ? 0 : 1, .type = tiles->args.product.type);
    ring_set_free(&l0, use);
    left->at += depth / COLS * left->pitch;  // whole strips, or the slice ends
    right->at += right->step;
  }
  if (right->gives_back) {
    free_piece(tiles, &right->piece);
  }
}

static void store_scaled(const tiles_t *tiles, const unit_t *unit, const part_t *part) {
  const gemm_args_t *p = &tiles->args.product;
  const uint32_t use = scales_use(tiles, unit);
  if (part->index == 0) {
    ring_wait_full(&scales_ring, use);
  }
  fixpipe(.l0c = part->l0c, .m = part->rows, .n = part->cols,
          .gm = p->c + (uint64_t)(unit->row + part->row) * p->c_pitch + (uint64_t)2 * (unit->col + part->col),
          .gm_pitch = p->c_pitch, .type = TYPE_F16, .op = GM_STORE, .from = TYPE_S32, .quant = QUANT_COLUMNS,
          .scales = ring_slot(&scales_ring, use) + part->col * GEMM_SCALE_BYTES);
  if (part->index + 1 == unit->parts) {
    ring_set_free(&scales_ring, use);
  }
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
  if (has_scales(tiles)) {
    store_scaled(tiles, unit, part);
    ring_set_free(l0c, part->number);
    return;
  }
  fixpipe(.l0c = part->l0c, .m = part->rows, .n = part->cols,
          .gm = to + (uint64_t)(unit->row + part->row) * pitch + (uint64_t)bytes * (unit->col + part->col),
          .gm_pitch = pitch, .type = sums ? TYPE_F32 : a->c_type, .op = GM_STORE,
          .from = BYTES == 1 ? TYPE_S32 : TYPE_F32);
  ring_set_free(l0c, part->number);
}

// From k to end in the slice, for all parts.
static void multiply_chunk(tiles_t *tiles, loader_t *next, const unit_t *unit, const part_t *parts, uint32_t k,
                           uint32_t end) {
  for (const part_t *part = parts; part < parts + unit->parts; ++part) {
    side_t left = left_side(tiles, unit, part, k);
    for (uint32_t piece = k; piece < end; piece += tiles->depth[B]) {
      const uint32_t piece_end = min_u32(piece + tiles->depth[B], end);
      side_t right = right_side(tiles, unit, part, piece, piece_end);
      load_some(tiles, next);
      multiply(tiles, part, &left, &right, piece, piece_end);
    }
    if (left.gives_back) {
      free_piece(tiles, &left.piece);
    }
    if (end == unit->depth) {
      store(tiles, unit, part);
    }
  }
}

static void multiply_unit(tiles_t *tiles, loader_t *next, const unit_t *unit) {
  part_t parts[2];
  if (has_scales(tiles)) {
    load_scales(tiles, unit);
  }
  for (uint32_t i = 0; i < unit->parts; ++i) {
    parts[i] = part_of(tiles, unit, i);
  }
  for (uint32_t k = 0; k < unit->depth; k += tiles->depth[A]) {
    multiply_chunk(tiles, next, unit, parts, k, min_u32(k + tiles->depth[A], unit->depth));
  }
  tiles->results += unit->parts;
}

static void for_rings(const tiles_t *tiles, void (*act)(const ring_t *ring)) {
  for (uint32_t i = 0; i < RINGS; ++i) {
    act(&tiles->ring[i]);
  }
}

void cube_main(void) {
  tiles_t tiles;
  tiles_open(&tiles);
  cut_tile(&tiles);
  plan_rings(&tiles);
  unit_t unit = first_unit(&tiles);
  loader_t next = {.unit = unit};
  settle_load(&tiles, &next);
  for_rings(&tiles, ring_open);
  ring_open(&l0);
  if (has_scales(&tiles)) {
    ring_open(&scales_ring);
  }
  for (; unit.number < tiles.units; next_unit(&tiles, &unit)) {
    multiply_unit(&tiles, &next, &unit);
  }
  for_rings(&tiles, ring_drain);
  ring_drain(&l0);
  if (has_scales(&tiles)) {
    ring_drain(&scales_ring);
  }
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
