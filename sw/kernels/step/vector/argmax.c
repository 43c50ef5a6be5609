// ARGMAX: in each column of a piece the largest so far and its number, piece by piece; then the largest of these.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/vector/step_vector.h"

enum {
  ELEMENTS = 8192,  // of a tile
  SLOTS = 2,
  SLOT = 4 * ELEMENTS,
  BEST = SLOTS * SLOT,
  NUMBERS = BEST + SLOT,     // of the best
  COLUMNS = NUMBERS + SLOT,  // one row: numbers of the piece's columns
  MASK = COLUMNS + SLOT,
  ROWS_MAX = 64,
  MASK_BYTES = ROWS_MAX * 32,  // at most: 64 rows of 128 columns, 1 row of 8192
  FOUND = MASK + MASK_BYTES,
  OUT = FOUND + 4 * ROWS_MAX,
  COLS_MAX = 1 << 24,  // FP32 holds their numbers
};
_Static_assert(OUT + SLOTS * 4 * ROWS_MAX <= UB_BYTES, "UB is too small");

static const ring_t in = {PIPE_MTE2, PIPE_V, 0, SLOTS, 0, SLOT};
static const ring_t out = {PIPE_V, PIPE_MTE3, 0, SLOTS, OUT, 4 * ROWS_MAX};

typedef struct argmax {
  const step_argmax_args_t *args;
  uint32_t tile, cols, pieces;  // rows and columns of a piece, pieces of a row
  uint32_t pitch, mask_pitch;
  share_t share;
} argmax_t;

static void open(argmax_t *a, const step_argmax_args_t *args) {
  require(args->rows >= 1 && args->cols >= 1 && args->cols <= COLS_MAX, PANIC_ARGUMENTS);
  a->args = args;
  a->cols = min_u32(args->cols, ELEMENTS);
  a->pieces = ceil_div(args->cols, a->cols);
  a->pitch = round_up(4 * a->cols, UB_ALIGN);
  a->mask_pitch = round_up(ceil_div(a->cols, 8), UB_ALIGN);
  a->tile = min_u32(min_u32(ROWS_MAX, SLOT / a->pitch), MASK_BYTES / a->mask_pitch);
  a->share = share_of(args->rows);
}

// Piece `number` of this core's, counted through its tiles of rows.
static void load(const argmax_t *a, uint32_t number) {
  const uint32_t row = a->share.first + number / a->pieces * a->tile, col = number % a->pieces * a->cols;
  ring_wait_free(&in, number);
  data_copy_gm_to_ub(.gm = a->args->x + (uint64_t)row * a->args->pitch + 4 * col, .gm_pitch = a->args->pitch,
                     .ub = ring_slot(&in, number), .ub_pitch = a->pitch, .rows = min_u32(a->tile, a->share.end - row),
                     .row_bytes = 4 * min_u32(a->cols, a->args->cols - col));
  ring_set_full(&in, number);
}

static void begin(const argmax_t *a, uint32_t rows) {
  vector_op(.op = VOP_BROADCAST, .rows = rows, .cols = a->cols, .dst = BEST, .dst_pitch = a->pitch,
            by_scalar(F32_MINUS_INF));
  vector_op(.op = VOP_BROADCAST, .rows = rows, .cols = a->cols, .dst = NUMBERS, .dst_pitch = a->pitch, by_scalar(0));
  vector_op(.op = VOP_COLUMN, .rows = 1, .cols = a->cols, .dst = COLUMNS, .dst_pitch = a->pitch);
}

static void compare(const argmax_t *a, uint32_t rows, uint32_t piece, uint32_t number) {
  const uint32_t x = ring_slot(&in, number), cols = tile_length(a->args->cols, a->cols, piece);
  ring_wait_full(&in, number);
  if (piece != 0) {
    vector_op(.op = VOP_ADD, .rows = 1, .cols = cols, .dst = COLUMNS, .dst_pitch = a->pitch, .a = COLUMNS,
              .a_pitch = a->pitch, by_scalar(f32_of(a->cols)));
  }
  vector_op(.op = VOP_CMP_GT, .rows = rows, .cols = cols, .dst = MASK, .dst_pitch = a->mask_pitch, .a = x,
            .a_pitch = a->pitch, .b = BEST, .b_pitch = a->pitch);
  vector_op(.op = VOP_MAX, .rows = rows, .cols = cols, .dst = BEST, .dst_pitch = a->pitch, .a = x, .a_pitch = a->pitch,
            .b = BEST, .b_pitch = a->pitch);
  ring_set_free(&in, number);
  vector_op(.op = VOP_SELECT, .rows = rows, .cols = cols, .dst = NUMBERS, .dst_pitch = a->pitch, .a = COLUMNS,
            .a_pitch = 0, .b = NUMBERS, .b_pitch = a->pitch, .c = MASK, .c_pitch = a->mask_pitch);
}

// The lowest number of those that have the row's largest: the highest of their negatives.
static void finish(const argmax_t *a, uint32_t rows, uint32_t use) {
  const uint32_t to = ring_slot(&out, use);
  vector_op(.op = VOP_ROW_MAX, .rows = rows, .cols = a->cols, .dst = FOUND, .a = BEST, .a_pitch = a->pitch);
  vector_op(.op = VOP_CMP_EQ, .rows = rows, .cols = a->cols, .dst = MASK, .dst_pitch = a->mask_pitch, .a = BEST,
            .a_pitch = a->pitch, by_row(FOUND));
  vector_op(.op = VOP_MUL, .rows = rows, .cols = a->cols, .dst = NUMBERS, .dst_pitch = a->pitch, .a = NUMBERS,
            .a_pitch = a->pitch, by_scalar(F32_MINUS_ONE));
  vector_op(.op = VOP_SELECT, .rows = rows, .cols = a->cols, .dst = NUMBERS, .dst_pitch = a->pitch, .a = NUMBERS,
            .a_pitch = a->pitch, by_scalar(F32_MINUS_INF), .c = MASK, .c_pitch = a->mask_pitch);
  vector_op(.op = VOP_ROW_MAX, .rows = rows, .cols = a->cols, .dst = FOUND, .a = NUMBERS, .a_pitch = a->pitch);
  vector_op(.op = VOP_MUL, .rows = 1, .cols = rows, .dst = FOUND, .dst_pitch = 4 * ROWS_MAX, .a = FOUND,
            .a_pitch = 4 * ROWS_MAX, by_scalar(F32_MINUS_ONE));
  ring_wait_free(&out, use);
  vector_op(.op = VOP_CAST, .rows = 1, .cols = rows, .dst = to, .dst_pitch = 4 * ROWS_MAX, .a = FOUND,
            .a_pitch = 4 * ROWS_MAX, .from = TYPE_F32, .to = TYPE_S32);
  ring_set_full(&out, use);
}

static void store(const argmax_t *a, uint32_t row, uint32_t rows, uint32_t use) {
  ring_wait_full(&out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&out, use), .ub_pitch = 4 * ROWS_MAX, .gm = a->args->out + 4 * (uint64_t)row,
                     .gm_pitch = 4 * rows, .rows = 1, .row_bytes = 4 * rows, .op = GM_STORE);
  ring_set_free(&out, use);
}

void step_argmax_vector(const step_argmax_args_t *args) {
  argmax_t a;
  open(&a, args);
  const uint32_t tiles = ceil_div(a.share.end - a.share.first, a.tile);
  uint32_t number = 0, loads = 0;
  ring_open(&in);
  ring_open(&out);
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    const uint32_t row = a.share.first + tile * a.tile, rows = min_u32(a.tile, a.share.end - row);
    begin(&a, rows);
    for (uint32_t piece = 0; piece < a.pieces; ++piece, ++number) {
      for (; loads < tiles * a.pieces && loads < number + SLOTS; ++loads) {
        load(&a, loads);
      }
      compare(&a, rows, piece, number);
    }
    finish(&a, rows, tile);
    store(&a, row, rows, tile);
  }
  ring_drain(&in);
  ring_drain(&out);
}
