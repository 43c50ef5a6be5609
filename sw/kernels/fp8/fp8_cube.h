// Private to attention_cube.c: how kernel fp8 loads keys and values, out of panels that the vector
// cores make meanwhile.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_FP8_CUBE_H
#define KERNELS_FP8_CUBE_H

#include "kernels/attention/attention_cube_walk.h"
#include "kernels/fp8/fp8.h"

// K_j, or V_j if K_j is in L1: nothing of it may be read before all vector cores have written their share.
static inline void before_keys(const cube_t *cube, const walk_t *walk) {
  const bool other = FP8_DIRECT ? false : walk->stage.output;
  if (other || walk->n + walk->m + walk->k > 0) {
    return;
  }
  cross_core_wait_flag(PIPE_MTE2, FLAG_KV_READY);
  if (cube->problem->fp8->crossover) {
    pair_wait_flag(PIPE_MTE2, FLAG_KV_READY);
  }
}

// The last of V_j is on its way: then its slot may take K_j+FP8_KV_SLOTS.
static inline void after_values(const cube_t *cube, const walk_t *walk) {
  const bool last = walk->n + 1 == walk->n_end && walk->m + 1 == walk->m_end &&
                    walk->k + 1 == walk->stage.k_pieces;
  if (!walk->stage.output || !last ||
      walk->stage.turn + FP8_KV_SLOTS >= cube->problem->turns) {
    return;
  }
  cross_core_set_flag(PIPE_MTE2, FLAG_KV_FREE);
  if (cube->problem->fp8->crossover) {
    pair_set_flag(PIPE_MTE2, FLAG_KV_FREE);
  }
}

// Rows by their panels, one after the other in L1.
static void load_panels(const cube_t *cube, uint64_t slot, uint32_t row, uint32_t rows,
                        uint32_t column, uint32_t cols, uint32_t l1) {
  for (uint32_t at = 0; at < cols; at += FP8_GROUP) {
    uint32_t pitch;
    const uint64_t gm = fp8_panel(&cube->problem->args, slot, row, column + at, &pitch);
    data_copy_gm_to_l1(.gm = gm, .gm_pitch = pitch,
                       .l1 = l1 + at / 16 * round_up(rows, 16) * STRIP_ROW, .rows = rows,
                       .cols = min_u32(FP8_GROUP, cols - at));
  }
}

// May V_j be waited for?  On the direct path its last rows come when C1(j) has taken the last keys, and
// C1(j)'s queries, if it is the first of a unit, must not be behind it.
static inline bool may_wait_for_values(const cube_t *cube, const walk_t *load) {
  return !FP8_DIRECT || cube->scores > load->stage.turn;
}

static void load_right(const cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const ring_t ring = right_ring(cube);
  const uint32_t use = walk->right_use;
  const uint32_t row = stage->output ? walk->start : walk->n * TILE;
  const uint32_t column = stage->output ? walk->n * TILE : walk->start;
  const uint32_t cols = step_n(walk);

  before_keys(cube, walk);
  ring_wait_free(&ring, use);
  load_panels(cube, stage->right, row, stage->output ? walk->depth : cols, column,
              stage->output ? cols : walk->depth, ring_slot(&ring, use));
  ring_set_full(&ring, use);
  after_values(cube, walk);
}

#endif
