// L1 of kernel fp8, by the numbers in its problem.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_L1_H
#define AMALGAM_SW_KERNELS_FP8_FP8_L1_H

#include "kernels/attention/cube/attention_cube_stage.h"
#include "kernels/fp8/fp8_problem.h"

static inline uint32_t q_slots(const attention_problem_t *problem) { return fp8_problem(problem)->q_slots; }

static inline uint8_t left_slots(const cube_t *cube, uint32_t kind) {
  return kind == 0 ? cube->left_slots : fp8_problem(cube->problem)->p_slots;
}

#if FP8_DIRECT
static inline bool others_bring_right(const stage_t *stage) { return stage->direct; }
static inline uint32_t tile_n(const stage_t *stage) { return stage->tile; }
static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  return fp8_problem(cube->problem)->left_bytes[kind];
}
static inline uint32_t left_base(const cube_t *cube, uint32_t kind) {
  return fp8_problem(cube->problem)->left_base[kind];
}
static inline uint32_t right_base(const cube_t *cube) { return fp8_problem(cube->problem)->right_base; }
#else
static inline bool others_bring_right(const stage_t *stage) {
  (void)stage;
  return false;
}
static inline uint32_t tile_n(const stage_t *stage) {
  (void)stage;
  return TILE;
}
// Tiles of Q and P have the same bytes.
static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  (void)kind;
  return fp8_problem(cube->problem)->left_bytes[0];
}
static inline uint32_t left_base(const cube_t *cube, uint32_t kind) {
  return (kind == 0 ? 0u : cube->left_slots) * left_bytes(cube, kind);
}
static inline uint32_t right_base(const cube_t *cube) { return cube->right_first * left_bytes(cube, 0); }
#endif

#endif
