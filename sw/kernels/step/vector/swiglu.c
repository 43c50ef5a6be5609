// SWIGLU: silu(gate) * up of FP16 rows, in FP32.
//
//   slot: gate [rows][cols] beside up, FP16; then the result     gate, up, work: FP32, V's own
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
  require(args->cols >= 16 && args->cols % 16 == 0, PANIC_ARGUMENTS);
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

static void compute(const swiglu_t *s, uint32_t number, uint32_t use) {
  const unit_t u = unit_of(s, number);
  const uint32_t slot = ring_slot(&s->slots.in, use), pitch = 4 * u.cols;
  ring_wait_full(&s->slots.in, use);
  vector_op(.op = VOP_CAST, .rows = u.rows, .cols = u.cols, .dst = GATE, .dst_pitch = pitch, .a = slot,
            .a_pitch = pitch, .from = TYPE_F16, .to = TYPE_F32);
  vector_op(.op = VOP_CAST, .rows = u.rows, .cols = u.cols, .dst = UP, .dst_pitch = pitch, .a = slot + 2 * u.cols,
            .a_pitch = pitch, .from = TYPE_F16, .to = TYPE_F32);
  vector_op(.op = VOP_MUL, .rows = u.rows, .cols = u.cols, .dst = WORK, .dst_pitch = pitch, .a = GATE, .a_pitch = pitch,
            by_scalar(F32_MINUS_ONE));
  vector_op(.op = VOP_EXP, .rows = u.rows, .cols = u.cols, .dst = WORK, .dst_pitch = pitch, .a = WORK,
            .a_pitch = pitch);
  vector_op(.op = VOP_ADD, .rows = u.rows, .cols = u.cols, .dst = WORK, .dst_pitch = pitch, .a = WORK, .a_pitch = pitch,
            by_scalar(F32_ONE));
  vector_op(.op = VOP_DIV, .rows = u.rows, .cols = u.cols, .dst = GATE, .dst_pitch = pitch, .a = GATE, .a_pitch = pitch,
            .b = WORK, .b_pitch = pitch);
  vector_op(.op = VOP_MUL, .rows = u.rows, .cols = u.cols, .dst = GATE, .dst_pitch = pitch, .a = GATE, .a_pitch = pitch,
            .b = UP, .b_pitch = pitch);
  vector_op(.op = VOP_CAST, .rows = u.rows, .cols = u.cols, .dst = slot, .dst_pitch = 2 * u.cols, .a = GATE,
            .a_pitch = pitch, .from = TYPE_F32, .to = TYPE_F16);
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
