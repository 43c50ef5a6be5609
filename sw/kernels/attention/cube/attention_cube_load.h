// Private to the cube core's part: MTE2 loads L and R into L1.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_LOAD_H
#define AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_LOAD_H

#include "hal/hal.h"
#include "kernels/attention/cube/attention_cube_walk.h"

static void load_right(const cube_t *cube, const walk_t *walk) {
  if (cube_hooks.load_right != NULL) {
    cube_hooks.load_right(cube, walk);
    return;
  }
  const stage_t *stage = &walk->stage;
  const ring_t ring = right_ring(cube);
  const uint32_t use = walk->right_use;
  const uint32_t pitch = stage->right_pitch;
  const uint32_t row = stage->output ? walk->start : walk->n * TILE;
  const uint32_t column = stage->output ? walk->n * TILE : walk->start;
  const uint32_t cols = step_n(walk);

  ring_wait_free(&ring, use);
  data_copy_gm_to_l1(.gm = stage->right + (uint64_t)row * pitch + 2 * column, .gm_pitch = pitch,
                     .l1 = ring_slot(&ring, use), .rows = stage->output ? walk->depth : cols,
                     .cols = stage->output ? cols : walk->depth);
  ring_set_full(&ring, use);
}
static void load_left(const cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const ring_t ring = left_ring(cube, walk->left_kind);
  const uint32_t use = walk->left_use;
  const uint32_t pitch = stage->left_pitch;

  if (stage->output && walk->number == walk->steps) {
    // P_j: no tile may be read before all vector cores have written their rows.
    cross_core_wait_flag(PIPE_MTE2, FLAG_P_READY);
  }
  ring_wait_free(&ring, use);
  data_copy_gm_to_l1(.gm = stage->left + walk->m * TILE * pitch + 2 * walk->start, .gm_pitch = pitch,
                     .l1 = ring_slot(&ring, use), .rows = step_m(walk), .cols = walk->depth);
  ring_set_full(&ring, use);
}

// May the next load be pushed?  Only when the uses are pushed that its waits are for, or a full
// queue would hold up this program, and with it those uses.
static inline bool may_load_right(const cube_t *cube, const walk_t *load) {
  return load->right_use < cube->right_room && (!cube_hooks.right_behind_scores || cube->scores > load->stage.turn);
}

// May P_j be waited for?  C1(j + lag) comes before C2(j), and may be on its way, but the one before it
// must be all pushed: the vector cores wait for its scores before they make P_j (scores_needed).  A C2 of
// few keys may have fewer steps than loads are ahead.
static inline bool may_wait_for(const cube_t *cube, uint32_t turn) {
  return cube->scores >= min_u32(turn + cube->lag, cube->problem->turns);
}

// Are all C2 before that one pushed?
static inline bool is_next_output(const cube_t *cube, const walk_t *use, uint32_t turn) {
  return use->stage.turn >= turn + (use->stage.output ? 0 : cube->lag);
}

// L is not loaded more than 128 columns' time ahead, P with two m-tiles a step less: it may not be
// there yet, and what waits for it holds up the loads of R.
static inline bool may_load_left(const cube_t *cube, const walk_t *load, const walk_t *use) {
  const uint32_t late = load->stage.output ? use->stage.m_tiles - 1 : 0;
  return load->number <= use->number + use->stage.steps_of_n - late &&
         load->left_use < cube->left_room[load->left_kind] &&
         (!load->stage.output || (may_wait_for(cube, load->stage.turn) &&
                                  (!cube_hooks.outputs_in_turn || is_next_output(cube, use, load->stage.turn))));
}

// The next loads that may be pushed, those needed first before the others; R before L: K and V need
// no other core, P does.  Not too many at a time, for this program must not wait in front of a full
// queue of loads when it could push what uses the first of them.
static void load_some(const cube_t *cube, walk_t *right, walk_t *left, const walk_t *use) {
  for (uint32_t i = 0; i < LOADS_A_STEP; ++i) {
    const bool may_left = may_load_left(cube, left, use);
    if (may_load_right(cube, right) && (!may_left || right->number <= left->number)) {
      load_right(cube, right);
      walk_next(cube, right);
    } else if (may_left) {
      load_left(cube, left);
      walk_next(cube, left);
    } else {
      return;
    }
  }
}

#endif
