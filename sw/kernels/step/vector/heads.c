// HEADS: heads normalised, rotated by halves, cast, and laid where attention, or what follows it, reads them.
//
//   weights | ones, sums | slot: heads of a token, then the result; angles | work: squares, then what is rotated
//
// A unit is some heads of a token.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "kernels/step/vector/step_vector.h"

enum {
  SLOTS = 3,
  ROWS = 16 * 1024,            // FP32 rows of a tile
  ANGLES = 8 * STEP_MAX_HEAD,  // of a token
  SLOT = ROWS + ANGLES,
  WORK = SLOTS * SLOT,
  WEIGHTS = WORK + ROWS,
  ROWS_MAX = 64,
  COLUMN = 4 * ROWS_MAX,  // one FP32 a row
  ONES = WEIGHTS + 4 * STEP_MAX_HEAD,
  SUMS = ONES + COLUMN,
  UB_TOP = SUMS + COLUMN,
  WEIGHT_EVENT = 8,
};
_Static_assert((int)UB_TOP <= UB_BYTES, "UB is too small");

typedef struct heads {
  const step_heads_args_t *args;
  uint32_t pitch;          // of a row
  uint32_t heads, chunks;  // heads of a unit, units of a token
  slots_t slots;
} heads_t;

// Heads that a core takes at a time: so many that all cores have some.
static void open(heads_t *h, const step_heads_args_t *args) {
  require(args->tokens >= 1 && args->tokens_of_entry >= 1 && args->heads >= 1 && args->dim >= 16 &&
              args->dim <= STEP_MAX_HEAD && args->dim % 16 == 0 && args->rope <= args->dim && args->rope % 16 == 0 &&
              (args->type == TYPE_F16 || args->type == TYPE_BF16),
          PANIC_ARGUMENTS);
  h->args = args;
  h->pitch = 4 * args->dim;
  const uint32_t most = min_u32(ROWS / h->pitch, ROWS_MAX);
  const uint32_t wanted = max_u32(ceil_div(args->heads, most), ceil_div(vector_cores(), args->tokens));
  h->heads = ceil_div(args->heads, min_u32(args->heads, wanted));
  h->chunks = ceil_div(args->heads, h->heads);
  h->slots = slots_at(0, SLOT, SLOTS);
}

static uint32_t first_head(const heads_t *h, uint32_t unit) { return unit % h->chunks * h->heads; }
static uint32_t rows_of(const heads_t *h, uint32_t unit) {
  return tile_length(h->args->heads, h->heads, unit % h->chunks);
}

// Where a unit's first head is, in `in` or `out`.
static uint64_t place_of(const heads_t *h, uint32_t unit, const step_heads_place_t *place) {
  const uint32_t token = unit / h->chunks, of_entry = h->args->tokens_of_entry;
  return place->at + token / of_entry * place->entry + (uint64_t)(token % of_entry) * place->token +
         (uint64_t)first_head(h, unit) * place->head;
}

static void load(const heads_t *h, uint32_t unit, uint32_t use) {
  const step_heads_args_t *args = h->args;
  const uint32_t x = ring_slot(&h->slots.in, use), angles = 8 * args->rope;
  ring_wait_free(&h->slots.back, use);
  data_copy_gm_to_ub(.gm = place_of(h, unit, &args->in), .gm_pitch = (uint32_t)args->in.head, .ub = x,
                     .ub_pitch = h->pitch, .rows = rows_of(h, unit), .row_bytes = h->pitch);
  if (args->rope > 0) {
    data_copy_gm_to_ub(.gm = args->angles + (uint64_t)(unit / h->chunks) * angles, .gm_pitch = angles, .ub = x + ROWS,
                       .ub_pitch = angles, .rows = 1, .row_bytes = angles);
  }
  ring_set_full(&h->slots.in, use);
}

// x / sqrt(mean(x^2) + eps) * weight, as NORM has it.
static void normalise(const heads_t *h, uint32_t rows, uint32_t x) {
  const uint32_t cols = h->args->dim, pitch = h->pitch;
  vector_op(.op = VOP_MUL, .rows = rows, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            .b = x, .b_pitch = pitch);
  vector_op(.op = VOP_ROW_TREE, .rows = rows, .cols = cols, .dst = SUMS, .a = WORK, .a_pitch = pitch);
  vector_op(.op = VOP_DIV, .rows = 1, .cols = rows, .dst = SUMS, .dst_pitch = COLUMN, .a = SUMS, .a_pitch = COLUMN,
            by_scalar(f32_of(cols)));
  vector_op(.op = VOP_ADD, .rows = 1, .cols = rows, .dst = SUMS, .dst_pitch = COLUMN, .a = SUMS, .a_pitch = COLUMN,
            by_scalar(h->args->eps));
  vector_op(.op = VOP_SQRT, .rows = 1, .cols = rows, .dst = SUMS, .dst_pitch = COLUMN, .a = SUMS, .a_pitch = COLUMN);
  vector_op(.op = VOP_DIV, .rows = 1, .cols = rows, .dst = SUMS, .dst_pitch = COLUMN, .a = ONES, .a_pitch = COLUMN,
            .b = SUMS, .b_pitch = COLUMN);
  vector_op(.op = VOP_MUL, .rows = rows, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            by_row(SUMS));
  vector_op(.op = VOP_MUL, .rows = rows, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            .b = WEIGHTS, .b_pitch = 0);
}

// Columns i and rope / 2 + i are a pair: the product with the cosine, then one FMA with the other one's sine. Where the
// result is.
static uint32_t rotate(const heads_t *h, uint32_t rows, uint32_t x, uint32_t angles) {
  const uint32_t rope = h->args->rope, half = rope / 2, pitch = h->pitch, sines = angles + 4 * rope;
  vector_op(.op = VOP_MUL, .rows = rows, .cols = rope, .dst = WORK, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            .b = angles, .b_pitch = 0);
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t to = 4 * half * i, from = 4 * half * (1 - i);
    vector_op(.op = VOP_FMA, .rows = rows, .cols = half, .dst = WORK + to, .dst_pitch = pitch, .a = x + from,
              .a_pitch = pitch, .b = sines + to, .b_pitch = 0, .c = WORK + to, .c_pitch = pitch);
  }
  if (rope == h->args->dim) {
    return WORK;
  }
  vector_op(.op = VOP_MUL, .rows = rows, .cols = rope, .dst = x, .dst_pitch = pitch, .a = WORK, .a_pitch = pitch,
            by_scalar(F32_ONE));
  return x;
}

static void compute(const heads_t *h, uint32_t unit, uint32_t use) {
  const step_heads_args_t *args = h->args;
  const uint32_t x = ring_slot(&h->slots.in, use), rows = rows_of(h, unit), pitch = h->pitch;
  ring_wait_full(&h->slots.in, use);
  if (args->weight != 0) {
    normalise(h, rows, x);
  }
  const uint32_t result = args->rope > 0 ? rotate(h, rows, x, x + ROWS) : x;
  vector_op(.op = VOP_CAST, .rows = rows, .cols = args->dim, .dst = x, .dst_pitch = pitch, .a = result,
            .a_pitch = pitch, .from = TYPE_F32, .to = args->type);
  ring_set_full(&h->slots.out, use);
}

static void store(const heads_t *h, uint32_t unit, uint32_t use) {
  const step_heads_args_t *args = h->args;
  ring_wait_full(&h->slots.out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&h->slots.in, use), .ub_pitch = h->pitch, .gm = place_of(h, unit, &args->out),
                     .gm_pitch = (uint32_t)args->out.head, .rows = rows_of(h, unit), .row_bytes = 2 * args->dim,
                     .op = GM_STORE);
  ring_set_free(&h->slots.back, use);
}

static void load_weights(const heads_t *h) {
  const uint32_t bytes = 4 * h->args->dim;
  data_copy_gm_to_ub(.gm = h->args->weight, .gm_pitch = bytes, .ub = WEIGHTS, .ub_pitch = bytes, .rows = 1,
                     .row_bytes = bytes);
  set_flag(PIPE_MTE2, PIPE_V, WEIGHT_EVENT);
  wait_flag(PIPE_MTE2, PIPE_V, WEIGHT_EVENT);
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = ROWS_MAX, .dst = ONES, .dst_pitch = COLUMN, by_scalar(F32_ONE));
}

void step_heads_vector(const step_heads_args_t *args) {
  heads_t h;
  open(&h, args);
  const share_t share = share_of(args->tokens * h.chunks);
  if (share.first == share.end) {
    return;
  }
  uint32_t loads = 0;
  ring_open(&h.slots.back);
  if (args->weight != 0) {
    load_weights(&h);
  }
  for (uint32_t unit = share.first, use = 0; unit < share.end; ++unit, ++use) {
    for (; share.first + loads < share.end && loads < use + SLOTS; ++loads) {
      load(&h, share.first + loads, loads);
    }
    compute(&h, unit, use);
    store(&h, unit, use);
  }
  ring_drain(&h.slots.back);
}
