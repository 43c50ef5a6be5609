// Private to flash_cube.c: the first C1 and the last C2, whose results nothing else hides, in two parts.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_PARTS_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_PARTS_H

#include "kernels/attention/cube/attention_cube_load.h"
#include "kernels/attention/cube/attention_cube_multiply.h"
#include "kernels/flash/flash_problem.h"

// FIX takes a part of each vector core's rows to global memory. Tiles have all rows in L0C.
static inline void store_part(const result_t *result, uint64_t gm, uint32_t pitch, uint32_t part) {
  for (uint32_t row = part * FLASH_PART; row < result->rows; row += FLASH_PARTS * FLASH_PART) {
    fixpipe(.l0c = result->l0c + 4 * row * round_up(result->cols, 16), .m = FLASH_PART, .n = result->cols,
            .gm = gm + (uint64_t)row * pitch, .gm_pitch = pitch, .type = TYPE_F32, .op = GM_STORE);
  }
}

// ---- C1(0) ----

// Its last two tiles: the first parts of both, then the flag, then the others.
static inline bool store_in_parts(cube_t *cube, const walk_t *walk) {
  const attention_problem_t *problem = cube->problem;
  const stage_t *stage = &walk->stage;
  const ring_t l0c = l0c_ring(cube);
  const uint32_t pitch = 4 * problem->args.block;
  const uint64_t gm = attention_scores(problem, 0) + 4 * walk->n * tile_n(stage);
  if (walk->n + 2 < stage->n_pieces || !flash_in_parts(walk_unit(walk))) {
    return false;
  }
  ring_wait_full(&l0c, cube->result.number);
  store_part(&cube->result, gm, pitch, 0);
  if (walk->n + 1 < stage->n_pieces) {
    cube->before = cube->result;
    return true;
  }
  cross_core_set_flag(PIPE_FIX, FLAG_S_READY);
  if (walk->n > 0) {
    store_part(&cube->before, gm - 4 * tile_n(stage), pitch, 1);
    ring_set_free(&l0c, cube->before.number);
  }
  store_part(&cube->result, gm, pitch, 1);
  ring_set_free(&l0c, cube->result.number);
  after_stage(cube, walk);
  return true;
}

// ---- The last C2 ----
//
// The rows of P that a vector core has stored first are multiplied while it makes the others. A part is FLASH_PART rows
// of each vector core; a tile of P is these rows of one of them and WIDE keys, whose rows in memory are whole lines.

enum {
  WIDE = 2 * ATTENTION_TILE,
  P_TILE = 2 * FLASH_PART * WIDE,
  PART_L0A = 2 * FLASH_PART * ATTENTION_TILE,
};

// Address of a core's tile in L1, and the flag for the tiles of all cores.
static inline uint32_t part_tile(const cube_t *cube, uint32_t part, uint32_t wide, uint32_t core) {
  const uint32_t number = part * (FLASH_BLOCK / WIDE) + wide;
  return left_base(cube, 1) + (number * FLASH_CORES + core) * P_TILE;
}

static inline uint32_t part_event(const cube_t *cube, uint32_t part, uint32_t wide) {
  return cube->left_slots + part * (FLASH_BLOCK / WIDE) + wide;
}

static inline void load_part(const cube_t *cube, const stage_t *stage, uint32_t part) {
  const attention_problem_t *problem = cube->problem;
  const uint32_t pitch = 2 * problem->args.block;
  cross_core_wait_flag(PIPE_MTE2, FLAG_P_READY);
  for (uint32_t wide = 0; wide * WIDE < stage->k; ++wide) {
    for (uint32_t core = 0; core < FLASH_CORES; ++core) {
      const uint32_t row = (core * FLASH_PARTS + part) * FLASH_PART;
      data_copy_gm_to_l1(.gm = attention_probabilities(problem, stage->turn) + (uint64_t)row * pitch + 2 * wide * WIDE,
                         .gm_pitch = pitch, .l1 = part_tile(cube, part, wide, core), .rows = FLASH_PART,
                         .cols = tile_length(stage->k, WIDE, wide));
    }
    set_flag(PIPE_MTE2, PIPE_MTE1, part_event(cube, part, wide));
  }
}

// A piece of V and all cores' rows of P.
static inline void multiply_part(cube_t *cube, const walk_t *walk, uint32_t part, uint32_t k, const result_t *result) {
  const stage_t *stage = &walk->stage;
  const ring_t right = right_ring(cube);
  const ring_t l0 = l0_ring(cube);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t depth = tile_length(stage->k, ATTENTION_TILE, k);
  const uint32_t use = cube->products++;
  const uint32_t l0_part = ring_slot(&l0, use);
  if (part == 0) {
    ring_wait_full(&right, walk->right + k);
  }
  ring_wait_free(&l0, use);
  load_data_b(.l1 = ring_slot(&right, walk->right + k), .l1_pitch = round_up(depth, 16) * STRIP_ROW, .l0b = l0_part,
              .k = depth, .n = result->cols);
  if (k % 2 == 0) {
    wait_flag(PIPE_MTE2, PIPE_MTE1, part_event(cube, part, k / 2));
  }
  for (uint32_t core = 0; core < FLASH_CORES; ++core) {
    load_data_a(.l1 = part_tile(cube, part, k / 2, core) + k % 2 * (P_TILE / 2), .l1_pitch = FLASH_PART * STRIP_ROW,
                .l0a = l0_part + core * PART_L0A, .m = FLASH_PART, .k = depth);
  }
  ring_set_full(&l0, use);
  if (part + 1 == FLASH_PARTS) {
    ring_set_free(&right, walk->right + k);
  }

  ring_wait_full(&l0, use);
  if (k == 0) {
    ring_wait_free(&l0c, result->number);
  }
  for (uint32_t core = 0; core < FLASH_CORES; ++core) {
    const uint32_t row = (core * FLASH_PARTS + part) * FLASH_PART;
    mmad(.l0a = l0_part + core * PART_L0A, .l0b = l0_part, .l0c = result->l0c + 4 * row * round_up(result->cols, 16),
         .m = FLASH_PART, .n = result->cols, .k = depth, .accumulate = k == 0 ? 0 : 1, .type = own_type(cube));
  }
  ring_set_free(&l0, use);
}

static inline bool finishes_in_parts(const cube_t *cube, const walk_t *use) {
  const stage_t *stage = &use->stage;
  return stage->output && flash_ends_in_parts(cube->problem, walk_unit(use), stage->turn);
}

// In place of all steps of the last C2, if it is in parts.
static inline void finish_in_parts(cube_t *cube, walk_t *right, walk_t *use) {
  const stage_t *stage = &use->stage;
  const attention_problem_t *problem = cube->problem;
  if (problem->turns == 0 || !finishes_in_parts(cube, use)) {
    return;
  }
  while (right->more) {
    load_right(cube, right);
    walk_next(cube, right);
  }
  const ring_t left = left_ring(cube, 1);
  ring_drain(&left);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t pitch = problem->args.o_pitch;
  const uint64_t slot = (uint64_t)(stage->turn % FLASH_SLOTS) * problem->group_rows * pitch;
  for (uint32_t part = 0; part < FLASH_PARTS; ++part) {
    const uint32_t number = use->results + part;
    const result_t result = {
        .rows = walk_unit(use)->rows, .cols = problem->args.dv, .number = number, .l0c = ring_slot(&l0c, number)};
    load_part(cube, stage, part);
    for (uint32_t k = 0; k < stage->k_pieces; ++k) {
      multiply_part(cube, use, part, k, &result);
    }
    ring_set_full(&l0c, number);
    ring_wait_full(&l0c, number);
    store_part(&result, cube->output->gm + slot, pitch, part);
    cross_core_set_flag(PIPE_FIX, cube->output->last_flag);
    ring_set_free(&l0c, number);
  }
  ring_open(&left);
}

#endif
