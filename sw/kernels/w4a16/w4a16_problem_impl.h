// The problem, as the kernel that includes this file has it: which arguments there are, and which units.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_W4A16_W4A16_PROBLEM_IMPL_H
#define AMALGAM_SW_KERNELS_W4A16_W4A16_PROBLEM_IMPL_H

#include "kernels/w4a16/w4a16_problem.h"

#include "hal/hal.h"
#include "lib/panic.h"

static bool extent_valid(uint32_t extent) { return extent >= 1 && extent <= W4A16_MAX; }

static bool shape_valid(const w4a16_args_t *a) {
  return extent_valid(a->m) && extent_valid(a->n) && extent_valid(a->k) && a->n % 8 == 0 && a->group >= 1 &&
         a->k % a->group == 0;
}

static bool split_valid(const w4a16_args_t *a) {
  return a->splits >= 1 && a->splits <= W4A16_MAX_SPLITS && a->splits <= a->k && a->reduce <= 1 &&
         (a->reduce == 1 || a->splits == 1) && (a->reduce == 0 || (a->partial | a->partial_bytes) % 4 == 0);
}

static bool tiles_valid(const w4a16_args_t *a) {
  const uint32_t cols = a->tile_cols;
  return (cols == 64 || cols == 128 || cols == 256) && a->dequant_rows >= 1 && a->dequant_rows <= W4A16_SLOT / 2 / cols;
}

static bool args_valid(const w4a16_args_t *a) {
  return shape_valid(a) && split_valid(a) && a->phases < W4A16_PHASES_COUNT && tiles_valid(a) &&
         a->zeros < W4A16_ZEROS_COUNT && (a->nibbles == TYPE_S4 || a->nibbles == TYPE_U4) && a->out_f32 <= 1 &&
         (a->a | a->b | a->scale | a->zero) % 2 == 0 && a->c % (a->out_f32 ? 4 : 2) == 0;
}

// All but what only the kernel knows: the units.
static void settle(w4a16_t *problem, const w4a16_args_t *args) {
  require(args_valid(args), PANIC_ARGUMENTS);
  problem->args = *args;
  problem->core = (uint32_t)hal_read(REG_CORE_INDEX);
  problem->cores = (uint32_t)hal_read(REG_CORE_COUNT);
  problem->tile_rows = min_u32(128, W4A16_MAX_TILE / args->tile_cols);
  problem->piece_rows = min_u32(256, W4A16_SLOT / 2 / args->tile_cols);
  problem->m_tiles = ceil_div(args->m, problem->tile_rows);
  problem->n_tiles = ceil_div(args->n, args->tile_cols);
  problem->b_pitch = problem->n_tiles * W4A16_TILE_PITCH;
  problem->slots = args->phases == W4A16_DIRECT ? W4A16_B_SLOTS : W4A16_RING;
}

static void start_unit(const w4a16_t *problem, w4a16_piece_t *piece, uint32_t number) {
  piece->valid = w4a16_unit(problem, number, &piece->unit);
  if (piece->valid) {
    piece->k = piece->unit.k;
    piece->rows = min_u32(problem->piece_rows, piece->unit.k_end - piece->k);
  }
}

w4a16_piece_t w4a16_first_piece(const w4a16_t *problem) {
  w4a16_piece_t piece = {.number = 0};
  start_unit(problem, &piece, problem->core);
  return piece;
}

void w4a16_next_piece(const w4a16_t *problem, w4a16_piece_t *piece) {
  piece->number++;
  piece->k += piece->rows;
  if (piece->k == piece->unit.k_end) {
    start_unit(problem, piece, piece->unit.number + problem->cores);
  } else {
    piece->rows = min_u32(problem->piece_rows, piece->unit.k_end - piece->k);
  }
}

#endif
