// NORM: out = x + delta, y = out * r * weight, r = 1 / sqrt(mean(out^2) + eps) (NUMERICS section 8).
//
//   weights | ones, sums, parts | slot: x, then out | delta, then squares, then y | ...
//
// Weights stay in UB, or, of long rows, come in pieces for each row.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "kernels/step/vector/step_vector.h"

enum {
  WEIGHT_COLS = 8192,  // that are in UB at once
  WEIGHT_EVENT = 8,
  ROWS_MAX = 64,
  COLUMN = 4 * ROWS_MAX,  // one FP32 a row
  TILE = 24 * 1024,       // of x, unless a row is longer
  SLOTS_MAX = 3,
};

typedef struct norm {
  const step_norm_args_t *args;
  uint32_t pitch, tile;
  uint32_t ones, sums, parts;
  slots_t slots;
  ring_t weights;
  uint32_t pieces;  // of weights, loaded so far
} norm_t;

// There is nothing to load without weights.
static bool stay(const norm_t *n) { return n->args->cols <= WEIGHT_COLS && n->args->weight != 0; }

static uint32_t type_bytes(uint32_t type) { return type == TYPE_F32 ? 4 : 2; }

static void open(norm_t *n, const step_norm_args_t *args) {
  require(args->rows >= 1 && args->cols >= 1 && args->cols <= STEP_MAX_COLS &&
              (args->type == TYPE_F16 || args->type == TYPE_BF16 || (args->type == TYPE_F32 && args->weight != 0)),
          PANIC_ARGUMENTS);
  n->args = args;
  n->pitch = round_up(4 * args->cols, UB_ALIGN);
  n->tile = min_u32(ROWS_MAX, max_u32(1, TILE / n->pitch));
  n->ones = round_up(4 * min_u32(args->cols, WEIGHT_COLS), UB_ALIGN);
  n->sums = n->ones + COLUMN;
  n->parts = n->sums + COLUMN;
  const uint32_t base = n->parts + COLUMN, bytes = 2 * n->tile * n->pitch;
  n->slots = slots_at(base, bytes, min_u32(SLOTS_MAX, (UB_BYTES - base) / bytes));
  n->weights = (ring_t){PIPE_MTE2, PIPE_V, WEIGHT_EVENT, 1, 0, 0};
  n->pieces = 0;
}

static void load(const norm_t *n, uint32_t row, uint32_t rows, uint32_t use) {
  const step_norm_args_t *args = n->args;
  const uint32_t x = ring_slot(&n->slots.in, use);
  ring_wait_free(&n->slots.back, use);
  data_copy_gm_to_ub(.gm = args->x + (uint64_t)row * args->x_pitch, .gm_pitch = args->x_pitch, .ub = x,
                     .ub_pitch = n->pitch, .rows = rows, .row_bytes = 4 * args->cols);
  if (args->delta != 0) {
    data_copy_gm_to_ub(.gm = args->delta + (uint64_t)row * 4 * args->cols, .gm_pitch = 4 * args->cols,
                       .ub = x + n->tile * n->pitch, .ub_pitch = n->pitch, .rows = rows, .row_bytes = 4 * args->cols);
  }
  ring_set_full(&n->slots.in, use);
}

static void load_weights(norm_t *n, uint32_t col) {
  const uint32_t bytes = 4 * min_u32(WEIGHT_COLS, n->args->cols - col);
  ring_wait_free(&n->weights, n->pieces);
  data_copy_gm_to_ub(.gm = n->args->weight + 4 * col, .gm_pitch = bytes, .ub = 0, .ub_pitch = round_up(bytes, UB_ALIGN),
                     .rows = 1, .row_bytes = bytes);
  ring_set_full(&n->weights, n->pieces);
  ring_wait_full(&n->weights, n->pieces);
  n->pieces++;
}

// Adds the squares of each row, by parts.
static void add_squares(const norm_t *n, uint32_t rows, uint32_t x, uint32_t work) {
  for (uint32_t col = 0; col < n->args->cols; col += PART) {
    const uint32_t cols = min_u32(PART, n->args->cols - col), pitch = round_up(4 * cols, UB_ALIGN);
    vector_op(.op = VOP_MUL, .rows = rows, .cols = cols, .dst = work, .dst_pitch = pitch, .a = x + 4 * col,
              .a_pitch = n->pitch, .b = x + 4 * col, .b_pitch = n->pitch);
    vector_op(.op = VOP_ROW_TREE, .rows = rows, .cols = cols, .dst = col == 0 ? n->sums : n->parts, .a = work,
              .a_pitch = pitch);
    if (col != 0) {
      vector_op(.op = VOP_ADD, .rows = 1, .cols = rows, .dst = n->sums, .dst_pitch = COLUMN, .a = n->sums,
                .a_pitch = COLUMN, .b = n->parts, .b_pitch = COLUMN);
    }
  }
}

// Sums of squares to factors.
static void invert(const norm_t *n, uint32_t rows) {
  vector_op(.op = VOP_DIV, .rows = 1, .cols = rows, .dst = n->sums, .dst_pitch = COLUMN, .a = n->sums,
            .a_pitch = COLUMN, by_scalar(f32_of(n->args->cols)));
  vector_op(.op = VOP_ADD, .rows = 1, .cols = rows, .dst = n->sums, .dst_pitch = COLUMN, .a = n->sums,
            .a_pitch = COLUMN, by_scalar(n->args->eps));
  vector_op(.op = VOP_SQRT, .rows = 1, .cols = rows, .dst = n->sums, .dst_pitch = COLUMN, .a = n->sums,
            .a_pitch = COLUMN);
  vector_op(.op = VOP_DIV, .rows = 1, .cols = rows, .dst = n->sums, .dst_pitch = COLUMN, .a = n->ones,
            .a_pitch = COLUMN, .b = n->sums, .b_pitch = COLUMN);
}

static void multiply_weights(norm_t *n, uint32_t rows, uint32_t y) {
  for (uint32_t col = 0; col < n->args->cols; col += WEIGHT_COLS) {
    if (!stay(n)) {
      load_weights(n, col);
    }
    vector_op(.op = VOP_MUL, .rows = rows, .cols = min_u32(WEIGHT_COLS, n->args->cols - col), .dst = y + 4 * col,
              .dst_pitch = n->pitch, .a = y + 4 * col, .a_pitch = n->pitch, .b = 0, .b_pitch = 0);
    if (!stay(n)) {
      ring_set_free(&n->weights, n->pieces);
    }
  }
}

static void normalise(norm_t *n, uint32_t rows, uint32_t x, uint32_t y) {
  add_squares(n, rows, x, y);
  invert(n, rows);
  vector_op(.op = VOP_MUL, .rows = rows, .cols = n->args->cols, .dst = y, .dst_pitch = n->pitch, .a = x,
            .a_pitch = n->pitch, by_row(n->sums));
  multiply_weights(n, rows, y);
}

static void compute(norm_t *n, uint32_t rows, uint32_t use) {
  const step_norm_args_t *args = n->args;
  const uint32_t x = ring_slot(&n->slots.in, use), y = x + n->tile * n->pitch;
  ring_wait_full(&n->slots.in, use);
  if (args->delta != 0) {
    vector_op(.op = VOP_ADD, .rows = rows, .cols = args->cols, .dst = x, .dst_pitch = n->pitch, .a = x,
              .a_pitch = n->pitch, .b = y, .b_pitch = n->pitch);
  }
  if (args->weight != 0) {
    normalise(n, rows, x, y);
  }
  if (args->type != TYPE_F32) {
    vector_op(.op = VOP_CAST, .rows = rows, .cols = args->cols, .dst = y, .dst_pitch = n->pitch,
              .a = args->weight != 0 ? y : x, .a_pitch = n->pitch, .from = TYPE_F32, .to = args->type);
  }
  ring_set_full(&n->slots.out, use);
}

static void store(const norm_t *n, uint32_t row, uint32_t rows, uint32_t use) {
  const step_norm_args_t *args = n->args;
  const uint32_t x = ring_slot(&n->slots.in, use);
  ring_wait_full(&n->slots.out, use);
  if (args->out != 0) {
    data_copy_ub_to_gm(.ub = x, .ub_pitch = n->pitch, .gm = args->out + (uint64_t)row * 4 * args->cols,
                       .gm_pitch = 4 * args->cols, .rows = rows, .row_bytes = 4 * args->cols, .op = GM_STORE);
  }
  data_copy_ub_to_gm(.ub = x + n->tile * n->pitch, .ub_pitch = n->pitch, .gm = args->y + (uint64_t)row * args->y_pitch,
                     .gm_pitch = args->y_pitch, .rows = rows, .row_bytes = type_bytes(args->type) * args->cols,
                     .op = GM_STORE);
  ring_set_free(&n->slots.back, use);
}

void step_norm_vector(const step_norm_args_t *args) {
  norm_t n;
  open(&n, args);
  const share_t share = share_of(args->rows);
  if (share.first == share.end) {
    return;
  }
  uint32_t next = share.first, loads = 0;
  ring_open(&n.slots.back);
  ring_open(&n.weights);
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = ROWS_MAX, .dst = n.ones, .dst_pitch = COLUMN, by_scalar(F32_ONE));
  if (stay(&n)) {
    load_weights(&n, 0);
  }
  for (uint32_t row = share.first, use = 0; row < share.end; row += n.tile, ++use) {
    for (; next < share.end && loads < use + n.slots.in.slots; next += n.tile, ++loads) {
      load(&n, next, min_u32(n.tile, share.end - next), loads);
    }
    const uint32_t rows = min_u32(n.tile, share.end - row);
    compute(&n, rows, use);
    store(&n, row, rows, use);
  }
  if (stay(&n)) {
    ring_set_free(&n.weights, 0);
  }
  ring_drain(&n.slots.back);
  ring_drain(&n.weights);
}
