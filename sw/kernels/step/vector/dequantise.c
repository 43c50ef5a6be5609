// DEQUANTISE: sums in S32 times the scales of row and column, and a bias added.
//
//   slot: sums [rows][cols], then c in their place | columns' scales | their biases | rows' scales
//
// A unit is rows of one group by a piece of the columns, so that all cores have some.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "kernels/step/routing.h"
#include "kernels/step/vector/step_vector.h"

enum {
  ELEMENTS = 8192,  // of a unit
  COLS_MAX = 2048,
  LEAST_COLS = 128,
  ROWS_MAX = 64,
  SLOTS = 3,
  COLUMNS = 4 * ELEMENTS,
  BIASES = COLUMNS + 4 * COLS_MAX,
  SCALES = BIASES + 4 * COLS_MAX,
  SLOT = SCALES + 4 * ROWS_MAX,
};
_Static_assert(SLOTS *SLOT <= UB_BYTES, "UB is too small");

typedef struct dequantise {
  const step_dequantise_args_t *args;
  uint32_t groups, cols, pieces, tile;  // columns of a piece, pieces of a row, rows of a unit
  slots_t slots;
  routing_t routing;
} dequantise_t;

typedef struct unit {
  uint32_t group, number;         // of the group's units
  uint32_t row, rows, col, cols;  // row counts from the first of all
} unit_t;

static uint32_t first_row(const dequantise_t *d, uint32_t group) {
  return routing_used(&d->args->routing) ? d->routing.start[group] : 0;
}

static uint32_t rows_of(const dequantise_t *d, uint32_t group) {
  return routing_used(&d->args->routing) ? routing_rows(&d->routing, group) : d->args->rows;
}

static uint32_t units_of(const dequantise_t *d, uint32_t group) {
  return ceil_div(rows_of(d, group), d->tile) * d->pieces;
}

static void open(dequantise_t *d, const step_dequantise_args_t *args) {
  require(args->cols >= STRIP && args->cols % STRIP == 0 &&
              (args->c_type == TYPE_F32 || args->c_type == TYPE_F16 || args->c_type == TYPE_BF16),
          PANIC_ARGUMENTS);
  d->args = args;
  d->groups = 1;
  uint32_t rows = args->rows;
  if (routing_used(&args->routing)) {
    routing_read(&d->routing, &args->routing);
    d->groups = args->routing.here;
    rows = routing_slots(&d->routing);
  }
  const uint32_t cores = vector_cores();
  const uint32_t fair = round_up(ceil_div(args->cols, ceil_div(cores, max_u32(rows, 1))), STRIP);
  d->cols = min_u32(min_u32(args->cols, COLS_MAX), max_u32(fair, LEAST_COLS));
  d->pieces = ceil_div(args->cols, d->cols);
  d->tile = min_u32(min_u32(ROWS_MAX, ELEMENTS / d->cols), max_u32(1, rows * d->pieces / cores));
  d->slots = slots_at(0, SLOT, SLOTS);
}

// Completes a unit whose number counts from its group's first, and may be one of a later group.
static void settle(const dequantise_t *d, unit_t *u) {
  while (u->group < d->groups && u->number >= units_of(d, u->group)) {
    u->number -= units_of(d, u->group++);
  }
  if (u->group < d->groups) {
    const uint32_t tile = u->number / d->pieces, piece = u->number % d->pieces;
    u->row = first_row(d, u->group) + tile * d->tile;
    u->rows = tile_length(rows_of(d, u->group), d->tile, tile);
    u->col = piece * d->cols;
    u->cols = tile_length(d->args->cols, d->cols, piece);
  }
}

static void load_row(uint64_t gm, uint32_t ub, uint32_t count) {
  data_copy_gm_to_ub(.gm = gm, .gm_pitch = 4 * count, .ub = ub, .ub_pitch = round_up(4 * count, UB_ALIGN), .rows = 1,
                     .row_bytes = 4 * count);
}

static void load(const dequantise_t *d, const unit_t *u, uint32_t use) {
  const step_dequantise_args_t *args = d->args;
  const uint32_t slot = ring_slot(&d->slots.in, use);
  const uint64_t column = u->group * args->group_bytes + 4 * u->col;
  ring_wait_free(&d->slots.back, use);
  data_copy_gm_to_ub(.gm = args->sums + (uint64_t)u->row * args->sums_pitch + 4 * u->col, .gm_pitch = args->sums_pitch,
                     .ub = slot, .ub_pitch = 4 * u->cols, .rows = u->rows, .row_bytes = 4 * u->cols);
  load_row(args->columns + column, slot + COLUMNS, u->cols);
  if (args->bias != 0) {
    load_row(args->bias + column, slot + BIASES, u->cols);
  }
  load_row(args->scale + 4 * (uint64_t)u->row, slot + SCALES, u->rows);
  ring_set_full(&d->slots.in, use);
}

#define in_place(operation, ...)                                                                                   \
  vector_op(.op = (operation), .rows = u->rows, .cols = u->cols, .dst = slot, .dst_pitch = 4 * u->cols, .a = slot, \
            .a_pitch = 4 * u->cols, __VA_ARGS__)

static void compute(const dequantise_t *d, const unit_t *u, uint32_t use) {
  const uint32_t slot = ring_slot(&d->slots.in, use);
  ring_wait_full(&d->slots.in, use);
  in_place(VOP_CAST, .from = TYPE_S32, .to = TYPE_F32);
  in_place(VOP_MUL, by_row(slot + SCALES));
  in_place(VOP_MUL, .b = slot + COLUMNS, .b_pitch = 0);
  if (d->args->bias != 0) {
    in_place(VOP_ADD, .b = slot + BIASES, .b_pitch = 0);
  }
  if (d->args->c_type != TYPE_F32) {
    in_place(VOP_CAST, .from = TYPE_F32, .to = d->args->c_type);
  }
  ring_set_full(&d->slots.out, use);
}

static void store(const dequantise_t *d, const unit_t *u, uint32_t use) {
  const step_dequantise_args_t *args = d->args;
  const uint32_t bytes = args->c_type == TYPE_F32 ? 4 : 2;
  ring_wait_full(&d->slots.out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&d->slots.in, use), .ub_pitch = 4 * u->cols,
                     .gm = args->c + (uint64_t)u->row * args->c_pitch + bytes * u->col, .gm_pitch = args->c_pitch,
                     .rows = u->rows, .row_bytes = bytes * u->cols, .op = GM_STORE);
  ring_set_free(&d->slots.back, use);
}

static void next_unit(const dequantise_t *d, unit_t *u) {
  u->number++;
  settle(d, u);
}

void step_dequantise_vector(const step_dequantise_args_t *args) {
  dequantise_t d;
  open(&d, args);
  uint32_t units = 0;
  for (uint32_t group = 0; group < d.groups; ++group) {
    units += units_of(&d, group);
  }
  const share_t share = share_of(units);
  const uint32_t count = share.end - share.first;
  if (count == 0) {
    return;
  }
  unit_t u = {.number = share.first};
  settle(&d, &u);
  unit_t next = u;
  ring_open(&d.slots.back);
  for (uint32_t use = 0, loads = 0; use < count; ++use, next_unit(&d, &u)) {
    for (; loads < count && loads < use + SLOTS; ++loads, next_unit(&d, &next)) {
      load(&d, &next, loads);
    }
    compute(&d, &u, use);
    store(&d, &u, use);
  }
  ring_drain(&d.slots.back);
}
