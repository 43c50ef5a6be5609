// C1 and C2 are one loop nest over a product L R, [rows][k] x [k][n], both operands cut along k:
//
//            rows    k       n           L (in tiles)        R (in pieces)
//   C1(j)    rows    dk      keys of j   Q   128 x stripe    K_j   128 keys x stripe
//   C2(j)    rows    keys    dv          P_j 128 x stripe    V_j   stripe keys x 128
//
//   for n by 128:
//     for k by stripe, for m by 128    or    for m by 128, for k by stripe:      one step
//       for k by base tile: one MMAD, L0C[m] accumulates
//     FIX takes L0C[m] to global memory
//
// How deep stripes and base tiles are, which of k and m is outside and how many buffers there are
// is the tiling's (attention_tiling.h).  With both m-tiles inside of k a piece of R is through after
// two tiles of L; with k inside FIX has a whole m-tile's time for one half of L0C while the other
// half's MMADs run, but all pieces of 128 columns must be in L1.
//
// Three walks go through the steps of all stages: one loads R and one loads L into L1 (MTE2), the
// third multiplies (MTE1, M, FIX).  A load is pushed as soon as the step is that frees its buffer,
// so that MTE2's queue always holds the next load when a buffer becomes free.
//
// Tiles of Q and P take turns in the buffers for L, and Q is loaded again for each C1.  With one
// m-tile, or if they have buffers of their own each, Q stays for a whole unit.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention_cube.h"

#include <stdbool.h>
#include <stddef.h>

#include "hal/hal.h"
#include "kernels/attention/attention_cube_walk.h"
#include "lib/ring.h"
#include "lib/tiling.h"

// ---- Loading: MTE2 ----

#if ATTENTION_FP8
#include "kernels/fp8/fp8_cube.h"
#else
static inline bool may_wait_for_values(const cube_t *cube, const walk_t *load) {
  (void)cube;
  (void)load;
  return true;
}

static void load_right(const cube_t *cube, const walk_t *walk) {
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
#endif

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
  data_copy_gm_to_l1(.gm = stage->left + walk->m * TILE * pitch + 2 * walk->start,
                     .gm_pitch = pitch, .l1 = ring_slot(&ring, use), .rows = step_m(walk),
                     .cols = walk->depth);
  ring_set_full(&ring, use);
}

// May the next load be pushed?  Only when the uses are pushed that its waits are for, or a full
// queue would hold up this program, and with it those uses.
static inline bool may_load_right(const cube_t *cube, const walk_t *load) {
  return load->right_use < cube->right_room && may_wait_for_values(cube, load);
}

// May P_j be waited for?  C1(j + lag) comes before C2(j), and may be on its way, but the one before it
// must be all pushed: the vector cores wait for its scores before they make P_j (scores_needed), or on
// fp8's direct path for its slots of the ring.  A C2 of few keys may have fewer steps than loads are
// ahead.
static inline bool may_wait_for(const cube_t *cube, uint32_t turn) {
  return cube->scores >= min_u32(turn + cube->lag, cube->problem->turns);
}

// L is not loaded more than 128 columns' time ahead, P with two m-tiles a step less: it may not be
// there yet, and what waits for it holds up the loads of R.
static inline bool may_load_left(const cube_t *cube, const walk_t *load, const walk_t *use) {
  const uint32_t late = load->stage.output ? use->stage.m_tiles - 1 : 0;
  return load->number <= use->number + use->stage.steps_of_n - late &&
         load->left_use < cube->left_room[load->left_kind] &&
         (!load->stage.output || may_wait_for(cube, load->stage.turn));
}

// The next loads that may be pushed, those needed first before the others; R before L: K and V need
// no other core, P does.  Not too many at a time, for this program must not wait in front of a full
// queue of loads when it could push what uses the first of them.
static void load_some(const cube_t *cube, walk_t *right, walk_t *left, const walk_t *use) {
  for (uint32_t i = 0; i < LOADS_A_STEP; i++) {
    const bool may_left = may_load_left(cube, left, use);
    if (may_load_right(cube, right) &&
        (!may_left || right->number <= left->number)) {
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

// ---- Multiplying: MTE1, M, FIX ----

static void begin_result(cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const bool always = !keeps(cube);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t rows = step_m(walk);
  const uint32_t number = walk->results + walk->n * stage->m_tiles + walk->m;
  cube->result = (result_t){
      .rows = rows,
      .cols = step_n(walk),
      .left_pitch = round_up(rows, 16) * STRIP_ROW,
      .number = number,
      .l0c = ring_slot(&l0c, number),
      .transpose = stage->output ? 0 : 1,
      .brings_left = always || (stage->loads_left && walk->n == 0),
      .brings_right = always || walk->m == 0,
      .frees_left = always || (stage->frees_left && walk->n + 1 == stage->n_pieces),
      .frees_right = always || walk->m + 1 == stage->m_tiles,
  };
}

// One MMAD: depth of k; its operands in L1.  first, last: of all that make up the result.
typedef struct product {
  uint32_t left, right, right_pitch;
  uint32_t depth;
  bool first, last;
} product_t;

static inline void multiply_base(cube_t *cube, const product_t *product) {
  const result_t *result = &cube->result;
  const ring_t l0 = l0_ring(cube);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t use = cube->products++;
  const uint32_t part = ring_slot(&l0, use);
  const uint32_t rows = result->rows;
  const uint32_t cols = result->cols;

  ring_wait_free(&l0, use);
  load_data_b(.l1 = product->right, .l1_pitch = product->right_pitch, .l0b = part,
              .k = product->depth, .n = cols, .transpose = result->transpose);
  load_data_a(.l1 = product->left, .l1_pitch = result->left_pitch, .l0a = part, .m = rows,
              .k = product->depth);
  ring_set_full(&l0, use);

  ring_wait_full(&l0, use);
  if (product->first) {
    ring_wait_free(&l0c, result->number);
  }
  mmad(.l0a = part, .l0b = part, .l0c = result->l0c, .m = rows, .n = cols, .k = product->depth,
       .accumulate = product->first ? 0 : 1, .type = TYPE_BF16);
  ring_set_free(&l0, use);
  if (product->last) {
    ring_set_full(&l0c, result->number);
  }
}

// The MMADs of a step.
static inline void multiply_piece(cube_t *cube, const walk_t *walk, uint32_t left, uint32_t right) {
  const stage_t *stage = &walk->stage;
  const uint32_t depth = walk->depth;
  const uint32_t base = ATTENTION_FP8 ? FP8_GROUP : stage->base;
  const bool first = walk->k == 0;
  const bool last = walk->k + 1 == stage->k_pieces;
  const uint32_t left_step = cube->result.left_pitch / 16;  // bytes to the next k, by strips
  // V lies in L1 as [k][n], its k are rows; K as [n][k], 16 of its k are a strip.
  const uint32_t right_rows = stage->output ? depth : cube->result.cols;
  const uint32_t right_pitch = round_up(right_rows, 16) * STRIP_ROW;
  const uint32_t right_step = stage->output ? STRIP_ROW : right_pitch / 16;

  for (uint32_t k = 0; k < depth; k += base) {
    const uint32_t part = min_u32(base, depth - k);
    const product_t product = {.left = left + k * left_step,
                               .right = right + k * right_step,
                               .right_pitch = right_pitch,
                               .depth = part,
                               .first = first && k == 0,
                               .last = last && k + part == depth};
    multiply_base(cube, &product);
  }
}

#if FP8_DIRECT
#include "kernels/fp8/fp8_direct.h"
#endif

static void multiply(cube_t *cube, const walk_t *walk) {
  const ring_t left = left_ring(cube, walk->left_kind);
  const ring_t right = right_ring(cube);
  const uint32_t left_use = walk->left_use;
  const uint32_t right_use = walk->right_use;

  if (walk->k == 0 || !k_inside(cube)) {
    begin_result(cube, walk);
  }
  if (cube->result.brings_right) {
    ring_wait_full(&right, right_use);
  }
  if (cube->result.brings_left) {
    ring_wait_full(&left, left_use);
  }
  multiply_piece(cube, walk, ring_slot(&left, left_use), ring_slot(&right, right_use));
  if (cube->result.frees_left) {
    ring_set_free(&left, left_use);
    cube->left_room[walk->left_kind]++;
  }
  if (cube->result.frees_right) {
    ring_set_free(&right, right_use);
    cube->right_room++;
  }
}

// Before FIX writes a stage's first tile.
static void before_stage(const cube_t *cube, const stage_t *stage) {
  if (stage->output && cube->output->before != NULL) {
    cube->output->before(stage->block);
  }
  if (!stage->output && stage->turn >= ATTENTION_SLOTS) {
    // The slot still holds S_j-2: all vector cores must have read it.
    cross_core_wait_flag(PIPE_FIX, FLAG_S_FREE);
  }
}

// After its last.
static void after_stage(cube_t *cube, const walk_t *walk) {
  if (!walk->stage.output) {
    cross_core_set_flag(PIPE_FIX, FLAG_S_READY);
    cube->scores++;
  } else if (walk->stage.block + 1 < walk_unit(walk)->blocks) {
    cross_core_set_flag(PIPE_FIX, cube->output->each_flag);
  } else {
    cross_core_set_flag(PIPE_FIX, cube->output->last_flag);
  }
}

// The finished result tile at n and m.
static void store_result(cube_t *cube, const walk_t *walk) {
  const attention_problem_t *problem = cube->problem;
  const attention_output_t *output = cube->output;
  const stage_t *stage = &walk->stage;
  const uint32_t pitch = stage->output ? problem->args.o_pitch : 4 * problem->args.block;
  const uint32_t count = output->slot_a_unit ? walk->place[STAGE_OUTPUT].ordinal : stage->turn;
  const uint32_t output_slot = count % ATTENTION_SLOTS;
  const uint64_t array = stage->output
                             ? output->gm + (uint64_t)output_slot * problem->group_rows * pitch
                             : attention_scores(problem, stage->turn);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t result = cube->result.number;

  if (walk->n == 0 && walk->m == 0) {
    before_stage(cube, stage);
  }
  ring_wait_full(&l0c, result);
  fixpipe(.l0c = cube->result.l0c, .m = cube->result.rows, .n = cube->result.cols,
          .gm = array + walk->m * TILE * pitch + 4 * walk->n * tile_n(stage), .gm_pitch = pitch,
          .type = TYPE_F32, .op = stage->output ? output->op : GM_STORE);
  ring_set_free(&l0c, result);
  if (walk->n + 1 == stage->n_pieces && walk->m + 1 == stage->m_tiles) {
    after_stage(cube, walk);
  }
}

// ---- The whole ----

static void cube_open(cube_t *cube, const attention_problem_t *problem,
                      const attention_output_t *output) {
  const attention_tiling_t *tiling = &problem->tiling;
  const bool one_tile = tiling->keep && problem->group_rows <= TILE;
  const uint32_t left = one_tile && !tiling->separate ? q_slots(problem) : tiling->left;
  cube->problem = problem;
  cube->output = output;
  cube->tiling = *tiling;
  cube->resident = one_tile || (tiling->keep && tiling->separate);
  cube->left_slots = (uint8_t)left;
  cube->right_first = (uint8_t)(tiling->separate ? 2 * tiling->left : tiling->left);
  cube->left_room[0] = cube->left_room[1] = left;
  if (ATTENTION_FP8) {
    cube->left_room[1] = left_slots(cube, 1);
  }
  cube->right_room = tiling->right;
  cube->lag = FP8_DIRECT ? FP8_AHEAD : max_u32(1, problem->plan.cube_lag[STAGE_OUTPUT] -
                                                   problem->plan.cube_lag[STAGE_SCORES]);
  cube->products = cube->scores = 0;
}

static void for_all_rings(const cube_t *cube, void (*act)(const ring_t *ring)) {
  const ring_t rings[] = {left_ring(cube, 0), right_ring(cube), l0_ring(cube), l0c_ring(cube),
                          left_ring(cube, 1)};
  for (uint32_t i = 0; i < (cube->resident ? 5 : 4); i++) {
    act(&rings[i]);
  }
}

void attention_cube(const attention_problem_t *problem, const attention_output_t *output) {
  cube_t cube;
  cube_open(&cube, problem, output);
  walk_t right, left, use;
  walk_start(&cube, WALK_RIGHT, &right);
  walk_start(&cube, WALK_LEFT, &left);
  walk_start(&cube, WALK_USE, &use);
  for_all_rings(&cube, ring_open);
  for (; use.more; walk_next(&cube, &use)) {
    load_some(&cube, &right, &left, &use);
#if FP8_DIRECT
    if (use.stage.direct) {
      multiply_direct(&cube, &use);
    } else
#endif
    {
      multiply(&cube, &use);
    }
    if (use.k + 1 == use.stage.k_pieces) {
      store_result(&cube, &use);
    }
  }
  for_all_rings(&cube, ring_drain);
}
