// The problem of kernel w4a16: one product, whose units are tiles of c over slices of k.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/w4a16/w4a16_problem_impl.h"

void w4a16_open(w4a16_t *problem) {
  settle(problem, hal_gm(hal_read(REG_ARGS)));
  problem->units = problem->m_tiles * problem->n_tiles * problem->args.splits;
}

static uint32_t slice_start(const w4a16_args_t *args, uint32_t split) {
  return (uint32_t)((uint64_t)split * args->k / args->splits);
}

bool w4a16_unit(const w4a16_t *problem, uint32_t number, w4a16_unit_t *unit) {
  const w4a16_args_t *args = &problem->args;
  if (number >= problem->units) {
    return false;
  }
  const bool backwards = args->phases == W4A16_SEQUENTIAL;
  const uint32_t place = backwards ? problem->units - 1 - number : number;
  const uint32_t row = place % problem->m_tiles;
  const uint32_t rest = place / problem->m_tiles;
  const uint32_t col = rest / args->splits;
  unit->number = number;
  unit->split = rest % args->splits;
  unit->k = slice_start(args, unit->split);
  unit->k_end = slice_start(args, unit->split + 1);
  unit->row = row * problem->tile_rows;
  unit->col = col * args->tile_cols;
  unit->rows = tile_length(args->m, problem->tile_rows, row);
  unit->cols = tile_length(args->n, args->tile_cols, col);
  return true;
}
