// W4A16 of a step: rows and units of each product.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/w4a16/step_w4a16.h"
#include "kernels/w4a16/w4a16_problem_impl.h"

static bool groups_valid(const step_w4a16_args_t *args) {
  return args->groups >= 1 && args->groups <= STEP_MAX_EXPERTS && args->product.phases == W4A16_OVERLAPPED &&
         args->product.reduce == 0 && (!routing_used(&args->routing) || args->routing.here == args->groups);
}

static uint32_t c_bytes(const w4a16_args_t *product) { return product->out_f32 != 0 ? 4 : 2; }

static bool pitches_valid(const step_w4a16_args_t *args) {
  const w4a16_args_t *product = &args->product;
  return (args->a_pitch == 0 || (args->a_pitch >= 2 * product->k && args->a_pitch % 2 == 0)) &&
         (args->c_pitch == 0 ||
          (args->c_pitch >= c_bytes(product) * product->n && args->c_pitch % c_bytes(product) == 0));
}

static void number_rows(struct w4a16_groups *groups, const step_w4a16_args_t *args) {
  const w4a16_args_t *product = &args->product;
  groups->a_gap = groups->c_gap = 0;
  if (routing_used(&args->routing)) {
    routing_read(&groups->rows, &args->routing);
    return;
  }
  for (uint32_t i = 0; i <= args->groups; ++i) {
    groups->rows.start[i] = i * product->m;
  }
  groups->a_gap = args->a_group - (uint64_t)product->m * groups->a_pitch;
  groups->c_gap = args->c_group - (uint64_t)product->m * groups->c_pitch;
}

// And the most rows of a product become the problem's m.
static void number_units(struct w4a16_groups *groups, w4a16_t *problem, uint32_t count) {
  groups->unit[0] = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t rows = routing_rows(&groups->rows, i);
    problem->args.m = max_u32(problem->args.m, rows);
    groups->unit[i + 1] = groups->unit[i] + ceil_div(rows, problem->tile_rows) * problem->n_tiles;
  }
  problem->units = groups->unit[count];
  problem->groups = groups;
}

void step_w4a16_open(w4a16_t *problem, struct w4a16_groups *groups, const step_w4a16_args_t *args) {
  w4a16_args_t product = args->product;
  require(groups_valid(args) && pitches_valid(args), PANIC_ARGUMENTS);
  product.m = routing_used(&args->routing) ? 1 : product.m;
  settle(problem, &product);
  groups->a_pitch = args->a_pitch != 0 ? args->a_pitch : 2 * product.k;
  groups->c_pitch = args->c_pitch != 0 ? args->c_pitch : c_bytes(&product) * product.n;
  number_rows(groups, args);
  number_units(groups, problem, args->groups);
  groups->w_group = args->w_group;
  groups->scale_group = args->scale_group;
  groups->zero_group = args->zero_group;
}

// Neighbouring units are of different dies. Two narrow tiles share a line of w, so narrow tiles go to the dies by
// twos.
static uint32_t column_of(const w4a16_t *problem, uint32_t place) {
  const bool narrow = problem->args.tile_cols == 64 && (place | 3) < problem->n_tiles;
  return narrow ? (place & ~3u) | (place & 1) << 1 | (place >> 1 & 1) : place;
}

// Numbers rise from call to call, so unit->split is the product of the unit before, or 0.
bool w4a16_unit(const w4a16_t *problem, uint32_t number, w4a16_unit_t *unit) {
  const w4a16_args_t *args = &problem->args;
  const struct w4a16_groups *groups = problem->groups;
  if (number >= problem->units) {
    return false;
  }
  while (number >= groups->unit[unit->split + 1]) {
    unit->split++;
  }
  const uint32_t rows = routing_rows(&groups->rows, unit->split);
  const uint32_t m_tiles = ceil_div(rows, problem->tile_rows);
  const uint32_t place = number - groups->unit[unit->split];
  const uint32_t row = place % m_tiles;
  const uint32_t col = column_of(problem, place / m_tiles);
  unit->number = number;
  unit->k = 0;
  unit->k_end = args->k;
  unit->row = groups->rows.start[unit->split] + row * problem->tile_rows;
  unit->col = col * args->tile_cols;
  unit->rows = tile_length(rows, problem->tile_rows, row);
  unit->cols = tile_length(args->n, args->tile_cols, col);
  return true;
}
