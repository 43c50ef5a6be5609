// Private to the cube core's part: the order in which a walk goes through the steps of all stages.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_WALK_H
#define AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_WALK_H

#include "kernels/attention/cube/attention_cube_stage.h"

// First key of the block, in K and V.
static inline uint64_t first_key(const cube_t *cube, const attention_unit_t *unit, const stage_t *stage) {
  if (cube_hooks.first_key != NULL) {
    return cube_hooks.first_key(cube, unit, stage);
  }
  return attention_first_key(cube->problem, unit, stage->block);
}

// The left operand of C1 or C2: the address where the walk finds it.
static void find_left(const cube_t *cube, const attention_unit_t *unit, stage_t *stage) {
  const attention_args_t *args = &cube->problem->args;
  if (stage->output) {
    stage->left_pitch = 2 * args->block;
    stage->left = attention_probabilities(cube->problem, stage->turn);
  } else {
    const uint64_t q_row = (uint64_t)unit->entry * args->rows + unit->first_row;
    stage->left_pitch = 2 * args->dk;
    stage->left = args->q + q_row * stage->left_pitch;
  }
}

static void find_right(const cube_t *cube, const attention_unit_t *unit, stage_t *stage) {
  const attention_args_t *args = &cube->problem->args;
  const uint64_t key = first_key(cube, unit, stage);
  if (stage->output) {
    stage->right_pitch = args->v_pitch;
    stage->right = args->v + unit->entry * args->v_batch + key * args->v_pitch;
  } else {
    stage->right_pitch = args->k_pitch;
    stage->right = args->k + unit->entry * args->k_batch + key * args->k_pitch;
  }
}

// In place, field by field: a copy takes the scalar core as long as the rest.
static void set_stage(const cube_t *cube, const attention_place_t *place, const preload_step_t *turn, stage_t *stage) {
  const attention_problem_t *problem = cube->problem;
  const attention_tiling_t *tiling = &cube->tiling;
  const bool output = turn->stage == STAGE_OUTPUT;
  const attention_unit_t *unit = &place->unit;
  const uint32_t block = place->block;
  const uint32_t keys = attention_block_keys(problem, unit, block);
  const uint32_t stripe = output ? tiling->output_stripe : tiling->scores_stripe;
  stage->output = output;
  stage->turn = turn->block;
  stage->block = block;
  stage->n = output ? problem->args.dv : keys;
  stage->k = output ? keys : problem->args.dk;
  stage->base = output ? tiling->output_base : tiling->scores_base;
  stage->m_tiles = ceil_div(unit->rows, TILE);
  stage->loads_left = output || !cube->resident || block == 0;
  stage->frees_left = output || !cube->resident || block + 1 == unit->blocks;
  if (cube_hooks.enter_stage != NULL) {
    cube_hooks.enter_stage(cube, stage);
  }
  stage->n_pieces = ceil_div(stage->n, tile_n(stage));
  stage->k_pieces = ceil_div(stage->k, stripe);
  stage->steps_of_n = stage->k_pieces * stage->m_tiles;
  if (cube_hooks.own_base != 0) {
    stage->piece = stripe;
    stage->long_pieces = 0;
  } else {
    const uint32_t strips = ceil_div(stage->k, 16);
    stage->piece = strips / stage->k_pieces * 16;
    stage->long_pieces = strips % stage->k_pieces;
  }
}

static inline uint32_t long_pieces(const stage_t *stage) { return cube_hooks.own_base != 0 ? 0 : stage->long_pieces; }

// The depth of the piece at walk->k, which starts at walk->start.
static inline uint32_t piece_depth(const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  return min_u32(stage->piece + (walk->k < long_pieces(stage) ? 16 : 0), stage->k - walk->start);
}

// Finds the step's place in k and among all steps, from its n, m and k, and its uses of the rings.
static void settle(const cube_t *cube, walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const bool m_first = k_inside(cube);
  const uint32_t m = m_first ? walk->m * stage->k_pieces : walk->m;
  const uint32_t k = m_first ? walk->k : walk->k * stage->m_tiles;
  const uint32_t step = walk->n * stage->steps_of_n + m + k;
  const bool keep = keeps(cube);
  walk->start = walk->k * stage->piece + 16 * min_u32(walk->k, long_pieces(stage));
  walk->depth = piece_depth(walk);
  walk->number = walk->steps + step;
  walk->left_use = walk->left[walk->left_kind] + (keep ? m + k : step);
  walk->right_use = walk->right + (keep ? walk->n * stage->k_pieces + walk->k : step);
}

static inline const attention_unit_t *walk_unit(const walk_t *walk) { return &walk->place[walk->turn.stage].unit; }

// To the first step of the stage walk->turn.
static void enter_stage(const cube_t *cube, walk_t *walk) {
  attention_place_t *place = &walk->place[walk->turn.stage];
  attention_move(cube->problem, place, walk->turn.block);
  set_stage(cube, place, &walk->turn, &walk->stage);
  walk->left_kind = cube->resident && walk->stage.output ? 1 : 0;
  walk->n = walk->m = walk->k = 0;
  walk->n_end = walk->stage.n_pieces;
  walk->m_end = walk->stage.m_tiles;
  if (keeps(cube) && walk->kind == WALK_RIGHT) {
    walk->m_end = 1;
    if (others_bring_right(&walk->stage)) {
      walk->n_end = 0;
    }
  }
  if (keeps(cube) && walk->kind == WALK_LEFT) {
    walk->n_end = walk->stage.loads_left ? 1 : 0;
  }
  if (walk->n_end == 0) {
    return;  // to be left at once
  }
  if (walk->kind == WALK_RIGHT) {
    find_right(cube, &place->unit, &walk->stage);
  } else if (walk->kind == WALK_LEFT) {
    find_left(cube, &place->unit, &walk->stage);
  }
  settle(cube, walk);
}

// To that stage, if there is one.
static void enter_if(const cube_t *cube, walk_t *walk, bool more) {
  walk->more = more;
  if (more) {
    enter_stage(cube, walk);
  } else {
    walk->number = walk->left_use = walk->right_use = UINT32_MAX;  // of a step that never comes
  }
}

static void next_stage(const cube_t *cube, walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const uint32_t steps = stage->n_pieces * stage->steps_of_n;
  const bool keep = keeps(cube);
  walk->steps += steps;
  walk->results += stage->n_pieces * stage->m_tiles;
  ATTENTION_WALK_NEXT(walk, stage);
  walk->right += others_bring_right(stage) ? 0 : keep ? stage->n_pieces * stage->k_pieces : steps;
  if (!keep) {
    walk->left[walk->left_kind] += steps;
  } else if (stage->frees_left) {
    walk->left[walk->left_kind] += stage->steps_of_n;
  }
  const attention_problem_t *problem = cube->problem;
  enter_if(cube, walk, preload_next(&problem->plan, true, problem->turns, &walk->turn));
  if (cube_hooks.finishes != NULL && walk->more && walk->kind == WALK_USE) {
    walk->more = !cube_hooks.finishes(cube, walk);
  }
}

// Has *i come to its end?  Then it is 0 again.
static bool carry(uint32_t *i, uint32_t end) {
  if (++*i < end) {
    return false;
  }
  *i = 0;
  return true;
}

// To the next n, m and k of the stage; false if there is none.
static bool next_in_stage(const cube_t *cube, walk_t *walk) {
  uint32_t *outer = k_inside(cube) ? &walk->m : &walk->k;
  uint32_t *inner = k_inside(cube) ? &walk->k : &walk->m;
  const uint32_t outer_end = k_inside(cube) ? walk->m_end : walk->stage.k_pieces;
  const uint32_t inner_end = k_inside(cube) ? walk->stage.k_pieces : walk->m_end;
  return !carry(inner, inner_end) || !carry(outer, outer_end) || !carry(&walk->n, walk->n_end);
}

static void walk_on(const cube_t *cube, walk_t *walk) {
  if (next_in_stage(cube, walk)) {
    settle(cube, walk);
    return;
  }
  do {
    next_stage(cube, walk);
  } while (walk->more && walk->n_end == 0);
}

static inline void walk_next(const cube_t *cube, walk_t *walk) {
  const uint32_t k = walk->k + 1;
  if (!k_inside(cube) || k == walk->stage.k_pieces) {
    walk_on(cube, walk);
    return;
  }
  // Most steps end here, by a short way: the scalar core's time counts.
  walk->k = k;
  walk->start += walk->depth;
  walk->depth = piece_depth(walk);
  walk->number++;
  walk->left_use++;
  walk->right_use++;
}

// Field by field, here and in cube_open: zeroing all of it takes the scalar core a microsecond.
static void walk_start(const cube_t *cube, walk_kind_t kind, const attention_place_t *first, walk_t *walk) {
  const attention_problem_t *problem = cube->problem;
  walk->kind = kind;
  walk->steps = walk->right = walk->left[0] = walk->left[1] = walk->results = 0;
  walk->place[STAGE_SCORES] = walk->place[STAGE_OUTPUT] = *first;
  enter_if(cube, walk, preload_first(&problem->plan, true, problem->turns, &walk->turn));
  if (cube_hooks.start_walk != NULL) {
    cube_hooks.start_walk(walk);
    while (walk->more && walk->n_end == 0) {
      next_stage(cube, walk);
    }
  }
}

// Extents of the step: columns and rows.
static uint32_t step_n(const walk_t *walk) { return tile_length(walk->stage.n, tile_n(&walk->stage), walk->n); }
static uint32_t step_m(const walk_t *walk) { return tile_length(walk_unit(walk)->rows, TILE, walk->m); }

#endif
