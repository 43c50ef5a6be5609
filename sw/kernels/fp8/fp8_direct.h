// Private to fp8_cube.c: how fp8_direct multiplies by keys that the vector cores put into a ring of slots
// in L1.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_DIRECT_H
#define AMALGAM_SW_KERNELS_FP8_FP8_DIRECT_H

#include "kernels/attention/cube/attention_cube_multiply.h"
#include "kernels/fp8/fp8_problem.h"

// C1 is cut at slots of the ring, whose uses a walk counts.
static inline void enter_direct_stage(const cube_t *cube, stage_t *stage) {
  stage->direct = !stage->output;
  stage->tile = stage->direct ? fp8_problem(cube->problem)->direct_keys : TILE;
}

static inline void start_direct_walk(walk_t *walk) { walk->keys = 0; }

// A slot's keys are for one result: before its first step, and after its last.
static inline void wait_for_keys(const cube_t *cube) {
  cross_core_wait_flag(PIPE_MTE1, FLAG_K_READY);
  if (fp8_problem(cube->problem)->args->crossover) {
    pair_wait_flag(PIPE_MTE1, FLAG_K_READY);
  }
}

static inline void free_keys(const cube_t *cube) {
  cross_core_set_flag(PIPE_MTE1, FLAG_K_FREE);
  if (fp8_problem(cube->problem)->args->crossover) {
    pair_set_flag(PIPE_MTE1, FLAG_K_FREE);
  }
}

// First column of the keys in the step.
static inline uint32_t keys_at(const cube_t *cube, const walk_t *walk) {
  return fp8_direct_slot(fp8_problem(cube->problem), walk->keys + walk->n) +
         walk->start / 16 * fp8_problem(cube->problem)->direct_keys * STRIP_ROW;
}

// The MMADs of a step, of keys in the direct ring.
static void multiply_keys(cube_t *cube, const walk_t *walk, uint32_t left) {
  const uint32_t base = walk->stage.base;
  const uint32_t pitch = fp8_problem(cube->problem)->direct_keys * STRIP_ROW;
  const uint32_t keys = keys_at(cube, walk);
  for (uint32_t k = 0; k < walk->depth; k += base) {
    const uint32_t part = min_u32(base, walk->depth - k);
    const product_t product = {.left = left + k / 16 * cube->result.left_pitch,
                               .right = keys + k / 16 * pitch,
                               .right_pitch = pitch,
                               .depth = part,
                               .first = walk->start + k == 0,
                               .last = walk->start + k + part == walk->stage.k};
    multiply_base_in_order(cube, &product);
  }
}

// As multiply, with R as the vector cores bring it.
static void multiply_direct(cube_t *cube, const walk_t *walk) {
  const ring_t left = left_ring(cube, walk->left_kind);
  const uint32_t left_use = walk->left_use;
  if (walk->k == 0) {
    begin_result(cube, walk);
    wait_for_keys(cube);
  }
  if (cube->result.brings_left) {
    ring_wait_full(&left, left_use);
  }
  multiply_keys(cube, walk, ring_slot(&left, left_use));
  if (cube->result.frees_left) {
    ring_set_free(&left, left_use);
    cube->left_room[walk->left_kind]++;
  }
  if (walk->k + 1 == walk->stage.k_pieces) {
    free_keys(cube);
  }
}

#endif
