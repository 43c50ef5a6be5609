// SWIGLU: silu(gate) * up of rows in 16 bits, in FP32; or another of enum step_gating.
//
//   slot: gate [rows][cols] beside up; then the result     gate, up, work: FP32, V's own
//
// A unit is a tile of rows, or a piece of one row, so that all cores have some.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/routing.h"
#include "kernels/step/vector/step_vector.h"

enum {
  ELEMENTS = 4096,  // of a tile
  SLOTS = 4,
  SLOT = 4 * ELEMENTS,
  GATE = SLOTS * SLOT,
  UP = GATE + 4 * ELEMENTS,
  WORK = UP + 4 * ELEMENTS,
  LEAST_COLS = 128,
  CUBIC = 0x3d372713,                // 0.044715
  MINUS_TWO_ROOT = (int)0xbfcc422a,  // -2 sqrt(2 / pi)
  MINUS_1_702 = (int)0xbfd9db23,
  SIGN = (int)0x80000000,
};
_Static_assert(WORK + 4 * ELEMENTS <= UB_BYTES, "UB is too small");

typedef struct swiglu {
  const step_swiglu_args_t *args;
  uint32_t rows;                // in all
  uint32_t tile, cols, pieces;  // rows and columns of a unit, units of a row
  slots_t slots;
} swiglu_t;

typedef struct unit {
  uint32_t row, rows, col, cols;
} unit_t;

static uint32_t rows_of(const step_swiglu_args_t *args) {
  routing_t routing;
  if (!routing_used(&args->routing)) {
    return args->rows;
  }
  routing_read(&routing, &args->routing);
  return routing_slots(&routing);
}

static void open(swiglu_t *s, const step_swiglu_args_t *args) {
  require(args->cols >= 16 && args->cols % 16 == 0 && (args->type == TYPE_F16 || args->type == TYPE_BF16) &&
              args->gating <= STEP_LIMITED,
          PANIC_ARGUMENTS);
  const uint32_t cores = vector_cores();
  s->args = args;
  s->rows = rows_of(args);
  s->cols = min_u32(args->cols, ELEMENTS);
  if (s->rows < cores) {
    const uint32_t fair = round_up(ceil_div(args->cols, ceil_div(cores, max_u32(s->rows, 1))), 16);
    s->cols = min_u32(s->cols, max_u32(fair, LEAST_COLS));
  }
  s->pieces = ceil_div(args->cols, s->cols);
  s->tile = min_u32(ELEMENTS / s->cols, max_u32(1, s->rows / cores));
  s->slots = slots_at(0, SLOT, SLOTS);
}

static unit_t unit_of(const swiglu_t *s, uint32_t number) {
  const uint32_t tile = number / s->pieces, piece = number % s->pieces;
  return (unit_t){tile * s->tile, tile_length(s->rows, s->tile, tile), piece * s->cols,
                  tile_length(s->args->cols, s->cols, piece)};
}

static void load(const swiglu_t *s, uint32_t number, uint32_t use) {
  const step_swiglu_args_t *args = s->args;
  const unit_t u = unit_of(s, number);
  const uint64_t gate = args->in + (uint64_t)u.row * args->in_pitch + 2 * u.col;
  const uint32_t slot = ring_slot(&s->slots.in, use), whole = s->pieces == 1;
  ring_wait_free(&s->slots.back, use);
  data_copy_gm_to_ub(.gm = gate, .gm_pitch = args->in_pitch, .ub = slot, .ub_pitch = 4 * u.cols, .rows = u.rows,
                     .row_bytes = whole ? 4 * u.cols : 2 * u.cols);
  if (!whole) {
    data_copy_gm_to_ub(.gm = gate + 2 * args->cols, .gm_pitch = args->in_pitch, .ub = slot + 2 * u.cols,
                       .ub_pitch = 4 * u.cols, .rows = u.rows, .row_bytes = 2 * u.cols);
  }
  ring_set_full(&s->slots.in, use);
}

#define scale_by(n_rows, n_cols, to, from, bits)                                                                    \
  vector_op(.op = VOP_MUL, .rows = (n_rows), .cols = (n_cols), .dst = (to), .dst_pitch = 4 * (n_cols), .a = (from), \
            .a_pitch = 4 * (n_cols), by_scalar(bits))

// WORK: minus what the gate's sigmoid is of.
static void prepare_gelu(uint32_t rows, uint32_t cols) {
  const uint32_t pitch = 4 * cols;
  vector_op(.op = VOP_MUL, .rows = rows, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = GATE, .a_pitch = pitch,
            .b = GATE, .b_pitch = pitch);
  scale_by(rows, cols, WORK, WORK, CUBIC);
  vector_op(.op = VOP_ADD, .rows = rows, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = WORK, .a_pitch = pitch,
            by_scalar(F32_ONE));
  vector_op(.op = VOP_MUL, .rows = rows, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = WORK, .a_pitch = pitch,
            .b = GATE, .b_pitch = pitch);
  scale_by(rows, cols, WORK, WORK, MINUS_TWO_ROOT);
}

static void bound(uint32_t op, uint32_t rows, uint32_t cols, uint32_t at, uint32_t limit) {
  vector_op(.op = op, .rows = rows, .cols = cols, .dst = at, .dst_pitch = 4 * cols, .a = at, .a_pitch = 4 * cols,
            by_scalar(limit));
}

static void prepare(const step_swiglu_args_t *args, uint32_t rows, uint32_t cols) {
  switch (args->gating) {
    case STEP_SILU:
      scale_by(rows, cols, WORK, GATE, F32_MINUS_ONE);
      break;
    case STEP_GELU:
      prepare_gelu(rows, cols);
      break;
    default:
      bound(VOP_MIN, rows, cols, GATE, args->limit);
      bound(VOP_MIN, rows, cols, UP, args->limit);
      bound(VOP_MAX, rows, cols, UP, args->limit | (uint32_t)SIGN);
      bound(VOP_ADD, rows, cols, UP, F32_ONE);
      scale_by(rows, cols, WORK, GATE, MINUS_1_702);
  }
}

static void compute(const swiglu_t *s, uint32_t number, uint32_t use) {
  const unit_t u = unit_of(s, number);
  const uint32_t slot = ring_slot(&s->slots.in, use), pitch = 4 * u.cols;
  ring_wait_full(&s->slots.in, use);
  vector_op(.op = VOP_CAST, .rows = u.rows, .cols = u.cols, .dst = GATE, .dst_pitch = pitch, .a = slot,
            .a_pitch = pitch, .from = s->args->type, .to = TYPE_F32);
  vector_op(.op = VOP_CAST, .rows = u.rows, .cols = u.cols, .dst = UP, .dst_pitch = pitch, .a = slot + 2 * u.cols,
            .a_pitch = pitch, .from = s->args->type, .to = TYPE_F32);
  prepare(s->args, u.rows, u.cols);
  vector_op(.op = VOP_EXP, .rows = u.rows, .cols = u.cols, .dst = WORK, .dst_pitch = pitch, .a = WORK,
            .a_pitch = pitch);
  vector_op(.op = VOP_ADD, .rows = u.rows, .cols = u.cols, .dst = WORK, .dst_pitch = pitch, .a = WORK, .a_pitch = pitch,
            by_scalar(F32_ONE));
  vector_op(.op = VOP_DIV, .rows = u.rows, .cols = u.cols, .dst = GATE, .dst_pitch = pitch, .a = GATE, .a_pitch = pitch,
            .b = WORK, .b_pitch = pitch);
  vector_op(.op = VOP_MUL, .rows = u.rows, .cols = u.cols, .dst = GATE, .dst_pitch = pitch, .a = GATE, .a_pitch = pitch,
            .b = UP, .b_pitch = pitch);
  vector_op(.op = VOP_CAST, .rows = u.rows, .cols = u.cols, .dst = slot, .dst_pitch = 2 * u.cols, .a = GATE,
            .a_pitch = pitch, .from = TYPE_F32, .to = s->args->type);
  ring_set_full(&s->slots.out, use);
}

static void store(const swiglu_t *s, uint32_t number, uint32_t use) {
  const step_swiglu_args_t *args = s->args;
  const unit_t u = unit_of(s, number);
  ring_wait_full(&s->slots.out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&s->slots.in, use), .ub_pitch = 2 * u.cols,
                     .gm = args->out + (uint64_t)u.row * args->out_pitch + 2 * u.col, .gm_pitch = args->out_pitch,
                     .rows = u.rows, .row_bytes = 2 * u.cols, .op = GM_STORE);
  ring_set_free(&s->slots.back, use);
}

void step_swiglu_vector(const step_swiglu_args_t *args) {
  swiglu_t s;
  open(&s, args);
  const share_t share = share_of(ceil_div(s.rows, s.tile) * s.pieces);
  uint32_t loads = 0;
  ring_open(&s.slots.back);
  for (uint32_t number = share.first, use = 0; number < share.end; ++number, ++use) {
    for (; share.first + loads < share.end && loads < use + SLOTS; ++loads) {
      load(&s, share.first + loads, loads);
    }
    compute(&s, number, use);
    store(&s, number, use);
  }
  ring_drain(&s.slots.back);
}
