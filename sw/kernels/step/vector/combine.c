// COMBINE: what all tokens share, and the experts' rows by their weights: one FMA a row, in the order of the choices.
//
//   slot: weights [16] | the same, each at 32 bytes | shared | an expert's row | ...
//
// A sum goes from row to row: each FMA leaves it in the place of the row that it adds. A unit is a piece of a token's
// columns.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/routing.h"
#include "kernels/step/vector/step_vector.h"

enum {
  WEIGHT_PITCH = 32,
  SPREAD = 4 * STEP_MAX_TOP,  // in a slot
  ROWS = SPREAD + STEP_MAX_TOP * WEIGHT_PITCH,
  LEAST_COLS = 256,
  SLOTS_MAX = 4,
};

typedef struct combine {
  const step_combine_args_t *args;
  uint32_t cols, pieces, pitch;  // columns of a unit, units of a token, bytes of a row in UB
  slots_t slots;
} combine_t;

// A token and its rows, while its units are loaded.
typedef struct token {
  uint32_t number;
  uint32_t slot[STEP_MAX_TOP];
} token_t;

static void open(combine_t *c, const step_combine_args_t *args) {
  require(args->cols >= 1, PANIC_ARGUMENTS);
  const uint32_t rows = args->routing.top + 1, most = (UB_BYTES / 2 - ROWS) / rows / 4 / 64 * 64;
  c->args = args;
  c->cols = min_u32(args->cols, most);
  if (args->routing.tokens < vector_cores()) {
    const uint32_t fair = round_up(ceil_div(args->cols, ceil_div(vector_cores(), args->routing.tokens)), 64);
    c->cols = min_u32(c->cols, max_u32(fair, LEAST_COLS));
  }
  c->pieces = ceil_div(args->cols, c->cols);
  c->pitch = round_up(4 * c->cols, UB_ALIGN);
  const uint32_t bytes = ROWS + rows * c->pitch;
  c->slots = slots_at(0, bytes, min_u32(SLOTS_MAX, UB_BYTES / bytes));
}

static void find(token_t *token, routing_t *routing, uint32_t number) {
  token->number = number;
  for (uint32_t j = 0; j < routing->top; ++j) {
    token->slot[j] = routing_take(routing, number * routing->top + j);
  }
}

// Rows of y that are here.
static uint32_t count(const token_t *token, uint32_t top) {
  uint32_t rows = 0;
  for (uint32_t j = 0; j < top; ++j) {
    rows += token->slot[j] != ROUTING_ELSEWHERE;
  }
  return rows;
}

static void load_row(const combine_t *c, uint64_t row, uint32_t col, uint32_t cols, uint32_t ub) {
  data_copy_gm_to_ub(.gm = row + 4 * col, .gm_pitch = 4 * cols, .ub = ub, .ub_pitch = c->pitch, .rows = 1,
                     .row_bytes = 4 * cols);
}

static void load(const combine_t *c, const token_t *token, uint32_t piece, uint32_t use) {
  const step_combine_args_t *args = c->args;
  const uint32_t top = args->routing.top, col = piece * c->cols, cols = tile_length(args->cols, c->cols, piece);
  uint32_t ub = ring_slot(&c->slots.in, use);
  ring_wait_free(&c->slots.back, use);
  data_copy_gm_to_ub(.gm = args->weights + (uint64_t)token->number * 4 * top, .gm_pitch = 4 * top, .ub = ub,
                     .ub_pitch = SPREAD, .rows = 1, .row_bytes = 4 * top);
  ub += ROWS;
  if (args->shared != 0) {
    load_row(c, args->shared + (uint64_t)token->number * 4 * args->cols, col, cols, ub);
  }
  for (uint32_t j = 0; j < top; ++j) {
    if (token->slot[j] != ROUTING_ELSEWHERE) {
      ub += c->pitch;
      load_row(c, args->y + (uint64_t)token->slot[j] * 4 * args->cols, col, cols, ub);
    }
  }
  ring_set_full(&c->slots.in, use);
}

static void compute(const combine_t *c, const token_t *token, uint32_t piece, uint32_t use) {
  const uint32_t top = c->args->routing.top, cols = tile_length(c->args->cols, c->cols, piece);
  const uint32_t slot = ring_slot(&c->slots.in, use);
  uint32_t sum = slot + ROWS;
  ring_wait_full(&c->slots.in, use);
  if (c->args->shared == 0) {
    vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = cols, .dst = sum, .dst_pitch = c->pitch, by_scalar(0));
  }
  vector_op(.op = VOP_BROADCAST, .rows = top, .cols = WEIGHT_PITCH / 4, .dst = slot + SPREAD, .dst_pitch = WEIGHT_PITCH,
            by_row(slot));
  for (uint32_t j = 0; j < top; ++j) {
    if (token->slot[j] != ROUTING_ELSEWHERE) {
      const uint32_t row = sum + c->pitch;
      vector_op(.op = VOP_FMA, .rows = 1, .cols = cols, .dst = row, .dst_pitch = c->pitch, .a = row,
                .a_pitch = c->pitch, by_row(slot + SPREAD + j * WEIGHT_PITCH), .c = sum, .c_pitch = c->pitch);
      sum = row;
    }
  }
  ring_set_full(&c->slots.out, use);
}

static void store(const combine_t *c, const token_t *token, uint32_t piece, uint32_t use) {
  const uint32_t cols = tile_length(c->args->cols, c->cols, piece);
  const uint32_t sum = ring_slot(&c->slots.in, use) + ROWS + count(token, c->args->routing.top) * c->pitch;
  ring_wait_full(&c->slots.out, use);
  data_copy_ub_to_gm(.ub = sum, .ub_pitch = c->pitch,
                     .gm = c->args->out + (uint64_t)token->number * 4 * c->args->cols + 4 * piece * c->cols,
                     .gm_pitch = 4 * cols, .rows = 1, .row_bytes = 4 * cols, .op = GM_STORE);
  ring_set_free(&c->slots.back, use);
}

static void combine_units(const combine_t *c, routing_t *routing, share_t share) {
  token_t token[SLOTS_MAX];  // of the units under way
  uint32_t loads = 0, next = share.first, known = UINT32_MAX;
  for (uint32_t unit = share.first, use = 0; unit < share.end; ++unit, ++use) {
    for (; next < share.end && loads < use + c->slots.in.slots; ++next, ++loads) {
      token_t *to = &token[loads % c->slots.in.slots];
      if (next / c->pieces != known) {
        known = next / c->pieces;
        find(to, routing, known);
      } else {
        *to = token[(loads - 1) % c->slots.in.slots];
      }
      load(c, to, next % c->pieces, loads);
    }
    compute(c, &token[use % c->slots.in.slots], unit % c->pieces, use);
    store(c, &token[use % c->slots.in.slots], unit % c->pieces, use);
  }
}

void step_combine_vector(const step_combine_args_t *args) {
  combine_t c;
  open(&c, args);
  const share_t share = share_of(args->routing.tokens * c.pieces);
  if (share.first == share.end) {
    return;
  }
  routing_t routing;
  routing_read(&routing, &args->routing);
  for (uint32_t i = 0; i < share.first / c.pieces * routing.top; ++i) {
    routing_take(&routing, i);
  }
  ring_open(&c.slots.back);
  combine_units(&c, &routing, share);
  ring_drain(&c.slots.back);
}
