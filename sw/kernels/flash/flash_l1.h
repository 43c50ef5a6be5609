// L1 of kernel flash: buffers for Q and for P, of one size, then those for K and V.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_L1_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_L1_H

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

static inline uint32_t q_slots(const attention_problem_t *problem) { return problem->tiling.left - FLASH_P_SLOTS; }

static inline uint8_t left_slots(const cube_t *cube, uint32_t kind) {
  return kind == 0 ? cube->left_slots : FLASH_P_SLOTS;
}

static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  (void)kind;
  return flash_problem(cube->problem)->left_bytes;
}

static inline uint32_t left_base(const cube_t *cube, uint32_t kind) {
  return (kind == 0 ? 0u : cube->left_slots) * left_bytes(cube, kind);
}

static inline uint32_t right_base(const cube_t *cube) { return cube->right_first * left_bytes(cube, 0); }

#endif
