// QUANTISE: rows in 16 bits to 8-bit integers, with a scale each.
//
//   slot: x | ...      X, WORK: FP32, V's own      out: S8 | ...      scales | ...      largest, part, lost: one FP32 a
//   row      factors: FP32, beside their x | ...
//
// A tile's rows are whole, or a piece of one long row: then its pieces come twice, for the scale and for the integers.
// A maximum passes over NaNs, so `lost` keeps them: 0 times each element, added up, is 0 or a NaN.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/routing.h"
#include "kernels/step/vector/step_vector.h"

enum {
  ELEMENTS = 8192,  // of a tile
  SLOTS = 2,
  ROWS_MAX = 64,
  COLUMN = 4 * ROWS_MAX,
  X = SLOTS * 2 * ELEMENTS,
  WORK = X + 4 * ELEMENTS,
  OUT = WORK + 4 * ELEMENTS,
  SCALES = OUT + SLOTS * ELEMENTS,
  LARGEST = SCALES + SLOTS * COLUMN,
  PART_LARGEST = LARGEST + COLUMN,
  LOST = PART_LARGEST + COLUMN,
  PART_LOST = LOST + COLUMN,
  FACTORS = PART_LOST + COLUMN,
  COLS_MULTIPLE = 32,
  LANES = 64,
  TINY = 0x0d800000,  // 2^-100
  F32_127 = 0x42fe0000,
};
_Static_assert(FACTORS + SLOTS * 4 * ELEMENTS <= UB_BYTES, "UB is too small");

static const ring_t in = {PIPE_MTE2, PIPE_V, 0, SLOTS, 0, 2 * ELEMENTS};
static const ring_t out = {PIPE_V, PIPE_MTE3, 0, SLOTS, OUT, ELEMENTS};
static const ring_t scales = {PIPE_V, PIPE_MTE3, SLOTS, SLOTS, SCALES, COLUMN};

typedef struct quantise {
  const step_quantise_args_t *args;
  uint32_t tile, cols, pieces;  // rows and columns of a piece, pieces of a row
  uint32_t loads;               // of a tile: one, or twice its pieces
  share_t share;
} quantise_t;

static uint32_t rows_of(const step_quantise_args_t *args) {
  routing_t routing;
  if (!routing_used(&args->routing)) {
    return args->rows;
  }
  routing_read(&routing, &args->routing);
  return routing_slots(&routing);
}

static void open(quantise_t *q, const step_quantise_args_t *args) {
  require(args->cols >= COLS_MULTIPLE && args->cols % COLS_MULTIPLE == 0 &&
              (args->type == TYPE_F16 || args->type == TYPE_BF16),
          PANIC_ARGUMENTS);
  q->args = args;
  q->share = share_of(rows_of(args));
  q->cols = min_u32(args->cols, ELEMENTS);
  q->pieces = ceil_div(args->cols, q->cols);
  q->loads = q->pieces == 1 ? 1 : 2 * q->pieces;
  q->tile = min_u32(ROWS_MAX, ELEMENTS / q->cols);
}

typedef struct piece {
  uint32_t tile, row, rows;  // the tile's, from the first of all rows
  uint32_t turn;             // of the tile's loads
  uint32_t col, cols;
} piece_t;

static piece_t piece_of(const quantise_t *q, uint32_t number) {
  const uint32_t tile = number / q->loads, turn = number % q->loads, row = q->share.first + tile * q->tile;
  return (piece_t){.tile = tile,
                   .row = row,
                   .rows = min_u32(q->tile, q->share.end - row),
                   .turn = turn,
                   .col = turn % q->pieces * q->cols,
                   .cols = tile_length(q->args->cols, q->cols, turn % q->pieces)};
}

// Where rows are whole, all tiles have the same factors.
static uint32_t factors_of(const quantise_t *q, uint32_t number) {
  return FACTORS + (q->pieces == 1 ? 0 : number % SLOTS * 4 * ELEMENTS);
}

static void load(const quantise_t *q, uint32_t number) {
  const step_quantise_args_t *args = q->args;
  const piece_t p = piece_of(q, number);
  ring_wait_free(&in, number);
  data_copy_gm_to_ub(.gm = args->x + (uint64_t)p.row * args->x_pitch + 2 * p.col, .gm_pitch = args->x_pitch,
                     .ub = ring_slot(&in, number), .ub_pitch = 2 * p.cols, .rows = p.rows, .row_bytes = 2 * p.cols);
  if (args->factors != 0 && (q->pieces > 1 || number == 0)) {
    data_copy_gm_to_ub(.gm = args->factors + 4 * p.col, .gm_pitch = 4 * p.cols, .ub = factors_of(q, number),
                       .ub_pitch = 4 * p.cols, .rows = 1, .row_bytes = 4 * p.cols);
  }
  ring_set_full(&in, number);
}

#define over_rows(operation, to, with, ...)                                                               \
  vector_op(.op = (operation), .rows = 1, .cols = p->rows, .dst = (to), .dst_pitch = COLUMN, .a = (with), \
            .a_pitch = COLUMN, __VA_ARGS__)

static void widen(const quantise_t *q, const piece_t *p, uint32_t number) {
  ring_wait_full(&in, number);
  vector_op(.op = VOP_CAST, .rows = p->rows, .cols = p->cols, .dst = X, .dst_pitch = 4 * p->cols,
            .a = ring_slot(&in, number), .a_pitch = 2 * p->cols, .from = q->args->type, .to = TYPE_F32);
  if (q->args->factors != 0) {
    vector_op(.op = VOP_MUL, .rows = p->rows, .cols = p->cols, .dst = X, .dst_pitch = 4 * p->cols, .a = X,
              .a_pitch = 4 * p->cols, .b = factors_of(q, number), .b_pitch = 0);
  }
  ring_set_free(&in, number);
}

static void find_largest(const piece_t *p) {
  const uint32_t pitch = 4 * p->cols, largest = p->turn == 0 ? LARGEST : PART_LARGEST,
                 lost = p->turn == 0 ? LOST : PART_LOST;
  vector_op(.op = VOP_ABS, .rows = p->rows, .cols = p->cols, .dst = WORK, .dst_pitch = pitch, .a = X, .a_pitch = pitch);
  vector_op(.op = VOP_ROW_MAX, .rows = p->rows, .cols = p->cols, .dst = largest, .a = WORK, .a_pitch = pitch);
  vector_op(.op = VOP_MUL, .rows = p->rows, .cols = p->cols, .dst = WORK, .dst_pitch = pitch, .a = WORK,
            .a_pitch = pitch, by_scalar(0));
  vector_op(.op = VOP_ROW_TREE, .rows = p->rows, .cols = p->cols, .dst = lost, .a = WORK, .a_pitch = pitch);
  if (p->turn != 0) {
    over_rows(VOP_MAX, LARGEST, LARGEST, .b = PART_LARGEST, .b_pitch = COLUMN);
    over_rows(VOP_ADD, LOST, LOST, .b = PART_LOST, .b_pitch = COLUMN);
  }
}

static void store_scales(const quantise_t *q, const piece_t *p) {
  const uint32_t to = ring_slot(&scales, p->tile);
  ring_wait_free(&scales, p->tile);
  over_rows(VOP_MAX, to, LARGEST, by_scalar(TINY));
  over_rows(VOP_DIV, to, to, by_scalar(F32_127));
  over_rows(VOP_ADD, to, to, .b = LOST, .b_pitch = COLUMN);
  ring_set_full(&scales, p->tile);
  ring_wait_full(&scales, p->tile);
  data_copy_ub_to_gm(.ub = to, .ub_pitch = COLUMN, .gm = q->args->scale + 4 * (uint64_t)p->row, .gm_pitch = 4 * p->rows,
                     .rows = 1, .row_bytes = 4 * p->rows, .op = GM_STORE);
  ring_set_free(&scales, p->tile);
}

static void store(const quantise_t *q, const piece_t *p, uint32_t use) {
  const uint32_t to = ring_slot(&out, use), pitch = 4 * p->cols;
  ring_wait_free(&out, use);
  vector_op(.op = VOP_DIV, .rows = p->rows, .cols = p->cols, .dst = X, .dst_pitch = pitch, .a = X, .a_pitch = pitch,
            by_row(ring_slot(&scales, p->tile)));
  vector_instruction(.op = VI_CAST, .type = TYPE_F32, .to = TYPE_S8, .mode = VECTOR_RINT, .count = p->rows * p->cols,
                     .dst = to, .dst_step = VECTOR_STEP(1, LANES / UB_ALIGN), .a = X,
                     .a_step = VECTOR_STEP(1, 4 * LANES / UB_ALIGN));
  ring_set_full(&out, use);
  ring_wait_full(&out, use);
  data_copy_ub_to_gm(.ub = to, .ub_pitch = p->cols, .gm = q->args->out + (uint64_t)p->row * q->args->cols + p->col,
                     .gm_pitch = q->args->cols, .rows = p->rows, .row_bytes = p->cols, .op = GM_STORE);
  ring_set_free(&out, use);
}

void step_quantise_vector(const step_quantise_args_t *args) {
  quantise_t q;
  open(&q, args);
  const uint32_t all = ceil_div(q.share.end - q.share.first, q.tile) * q.loads;
  uint32_t loads = 0, stores = 0;
  ring_open(&in);
  ring_open(&out);
  ring_open(&scales);
  for (uint32_t number = 0; number < all; ++number) {
    for (; loads < all && loads < number + SLOTS; ++loads) {
      load(&q, loads);
    }
    const piece_t p = piece_of(&q, number);
    widen(&q, &p, number);
    if (p.turn < q.pieces) {
      find_largest(&p);
    }
    if (p.turn + 1 == q.pieces) {
      store_scales(&q, &p);
    }
    if (p.turn >= q.pieces || q.pieces == 1) {
      store(&q, &p, stores++);
    }
  }
  ring_drain(&in);
  ring_drain(&out);
  ring_drain(&scales);
}
