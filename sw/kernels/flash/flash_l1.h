// L1 of kernel flash: buffers of one size, for Q, for P, then for K and V.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_FLASH_L1_H
#define KERNELS_FLASH_L1_H

#include "kernels/attention/cube/attention_cube_stage.h"
#include "kernels/flash/flash_problem.h"

static inline bool others_bring_right(const stage_t *stage) {
  (void)stage;
  return false;
}

static inline uint32_t tile_n(const stage_t *stage) {
  (void)stage;
  return TILE;
}

static inline uint32_t q_slots(const attention_problem_t *problem) {
  return problem->tiling.left - FLASH_BLOCK / TILE;
}

static inline uint8_t left_slots(const cube_t *cube, uint32_t kind) {
  return kind == 0 ? cube->left_slots : FLASH_BLOCK / TILE;
}

static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  (void)cube;
  (void)kind;
  return 2 * TILE * TILE;
}

static inline uint32_t left_base(const cube_t *cube, uint32_t kind) {
  return (kind == 0 ? 0u : cube->left_slots) * left_bytes(cube, kind);
}

static inline uint32_t right_base(const cube_t *cube) {
  return cube->right_first * left_bytes(cube, 0);
}

#endif
