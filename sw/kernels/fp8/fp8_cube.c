// The cube core's part: attention's, with keys and values out of panels that the vector cores make
// meanwhile, and on the direct path keys that they bring into L1.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fp8/fp8_problem.h"

#if FP8_DIRECT
// Do vector cores bring R into L1, columns of a result; slots of the direct ring before a stage.
#define ATTENTION_STAGE_OWN \
  bool direct;              \
  uint32_t tile;
#define ATTENTION_WALK_OWN uint32_t keys;
#define ATTENTION_WALK_NEXT(walk, stage) (walk)->keys += (stage)->direct ? (stage)->n_pieces : 0
#endif
#include "kernels/attention/cube/attention_cube_impl.h"
#include "kernels/fp8/fp8_l1.h"

// The first of a block, in its slot.
static inline uint64_t own_first_key(const cube_t *cube, const attention_unit_t *unit, const stage_t *stage) {
  (void)unit;
  return stage->turn % FP8_KV_SLOTS * cube->problem->args.block;
}

// K_j, or V_j if K_j is in L1: nothing of it may be read before all vector cores have written their share.
static inline void before_keys(const cube_t *cube, const walk_t *walk) {
  const bool other = FP8_DIRECT ? false : walk->stage.output;
  if (other || walk->n + walk->m + walk->k > 0) {
    return;
  }
  cross_core_wait_flag(PIPE_MTE2, FLAG_KV_READY);
  if (fp8_problem(cube->problem)->args->crossover) {
    pair_wait_flag(PIPE_MTE2, FLAG_KV_READY);
  }
}

// The last of V_j is on its way: then its slot may take K_j+FP8_KV_SLOTS.
static inline void after_values(const cube_t *cube, const walk_t *walk) {
  const bool last = walk->n + 1 == walk->n_end && walk->m + 1 == walk->m_end && walk->k + 1 == walk->stage.k_pieces;
  if (!walk->stage.output || !last || walk->stage.turn + FP8_KV_SLOTS >= cube->problem->turns) {
    return;
  }
  cross_core_set_flag(PIPE_MTE2, FLAG_KV_FREE);
  if (fp8_problem(cube->problem)->args->crossover) {
    pair_set_flag(PIPE_MTE2, FLAG_KV_FREE);
  }
}

// Rows by their panels, one after the other in L1.
static void load_panels(const cube_t *cube, uint64_t slot, uint32_t row, uint32_t rows, uint32_t column, uint32_t cols,
                        uint32_t l1) {
  for (uint32_t at = 0; at < cols; at += FP8_GROUP) {
    uint32_t pitch;
    const uint64_t gm = fp8_panel(&cube->problem->args, slot, row, column + at, &pitch);
    data_copy_gm_to_l1(.gm = gm, .gm_pitch = pitch, .l1 = l1 + at / 16 * round_up(rows, 16) * STRIP_ROW, .rows = rows,
                       .cols = min_u32(FP8_GROUP, cols - at));
  }
}

static void load_keys(const cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const ring_t ring = right_ring(cube);
  const uint32_t use = walk->right_use;
  const uint32_t row = stage->output ? walk->start : walk->n * TILE;
  const uint32_t column = stage->output ? walk->n * TILE : walk->start;
  const uint32_t cols = step_n(walk);

  before_keys(cube, walk);
  ring_wait_free(&ring, use);
  load_panels(cube, stage->right, row, stage->output ? walk->depth : cols, column, stage->output ? cols : walk->depth,
              ring_slot(&ring, use));
  ring_set_full(&ring, use);
  after_values(cube, walk);
}

#if FP8_DIRECT
#include "kernels/fp8/fp8_direct.h"
#endif

static const attention_cube_hooks_t cube_hooks = {
    .own_base = FP8_GROUP,
    .first_key = own_first_key,
    .load_right = load_keys,
#if FP8_DIRECT
    .lag = FP8_AHEAD,
    // On the direct path V_j's last rows come when C1(j) has taken the last keys, and C1(j)'s queries, if
    // it is the first of a unit, must not be behind them.
    .right_behind_scores = true,
    .multiply = multiply_direct,
    .enter_stage = enter_direct_stage,
    .start_walk = start_direct_walk,
#endif
};
