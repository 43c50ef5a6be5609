// L1 of base and amla: the tiling's buffers for L, then those for R, all of one size.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_L1_H
#define AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_L1_H

#include "kernels/attention/cube/attention_cube_stage.h"

static inline bool others_bring_right(const stage_t *stage) {
  (void)stage;
  return false;
}

static inline uint32_t tile_n(const stage_t *stage) {
  (void)stage;
  return TILE;
}

// With one m-tile Q and P have buffers of their own, as many each.
static inline uint32_t q_slots(const attention_problem_t *problem) { return problem->tiling.left / 2; }

static inline uint8_t left_slots(const cube_t *cube, uint32_t kind) {
  (void)kind;
  return cube->left_slots;
}

static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  (void)kind;
  return cube->tiling.buffer;
}

static inline uint32_t left_base(const cube_t *cube, uint32_t kind) {
  return (kind == 0 ? 0u : cube->left_slots) * left_bytes(cube, kind);
}

static inline uint32_t right_base(const cube_t *cube) { return cube->right_first * left_bytes(cube, 0); }

#endif
