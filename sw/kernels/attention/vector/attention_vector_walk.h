// Private to a vector core's parts: a kernel's hooks, and the order in which a core goes through the
// chunks of all stages.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_VECTOR_WALK_H
#define AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_VECTOR_WALK_H

#include <stddef.h>

#include "kernels/attention/vector/attention_vector.h"

static const attention_vector_hooks_t vector_hooks;

// The kernel says: rows of a tile in V1 and in V2; where the mask is, in bytes from a tile's begin.
static inline uint32_t score_rows(const vector_core_t *core);
static inline uint32_t output_rows(const vector_core_t *core, const vector_walk_t *walk);
static inline uint32_t mask_at(const vector_core_t *core);

static inline uint32_t element_type(const vector_core_t *core) {
  return vector_hooks.type != NULL ? vector_hooks.type(core) : TYPE_BF16;
}

// Does the chunk need a flag of the cube core's?
static inline bool begins_part(const vector_core_t *core) {
  return core->at->row == 0 || (vector_hooks.begins_part != NULL && vector_hooks.begins_part(core));
}

static bool last_block(const vector_walk_t *walk) {
  const attention_place_t *place = walk_place(walk);
  return place->block + 1 == place->unit.blocks;
}

static uint32_t chunk_rows(const vector_core_t *core, const vector_walk_t *walk) {
  return walk->turn.stage == STAGE_SCORES ? score_rows(core) : output_rows(core, walk);
}

static bool last_chunk(const vector_core_t *core, const vector_walk_t *walk) {
  return walk->row + chunk_rows(core, walk) >= walk->rows;
}

// This core's first row of a unit.  A core has the same rows of O in every unit: while one core still has a
// unit's, others have the next's.
static uint32_t share(const vector_core_t *core, const attention_unit_t *unit) {
  return vector_hooks.deals_evenly ? ceil_div(unit->rows, (uint32_t)hal_read(REG_SUB_COUNT)) : core->share;
}

static uint32_t first_row(const vector_core_t *core, const attention_unit_t *unit) {
  return min_u32(share(core, unit) * (uint32_t)hal_read(REG_SUB_INDEX), unit->rows);
}

static uint32_t rows_here(const vector_core_t *core, const attention_unit_t *unit) {
  return min_u32(share(core, unit), unit->rows - first_row(core, unit));
}

// Is this core left without rows from this unit to the next?
static bool runs_out(const vector_core_t *core, uint32_t unit_index) {
  const attention_problem_t *problem = core->problem;
  const uint32_t next_index = unit_index + problem->unit_step;
  if (next_index >= problem->units) {
    return false;
  }
  const attention_unit_t unit = attention_unit(problem, unit_index);
  const attention_unit_t next = attention_unit(problem, next_index);
  return rows_here(core, &unit) > 0 && rows_here(core, &next) == 0;
}

// Is it in the first V1 of the first unit without rows after one that has some?
static bool ran_out(const vector_core_t *core, const vector_walk_t *walk) {
  const attention_place_t *place = walk_place(walk);
  return walk->rows == 0 && place->block == 0 && place->ordinal > 0 &&
         runs_out(core, place->unit.index - core->problem->unit_step);
}

// To the stage walk->turn.
static void enter_stage(const vector_core_t *core, vector_walk_t *walk) {
  attention_place_t *place = &walk->place[walk->turn.stage];
  attention_move(core->problem, place, walk->turn.block);
  walk->first_row = first_row(core, &place->unit);
  walk->rows = rows_here(core, &place->unit);
  walk->row = 0;
}

// From the turn the plan has come to, to the next one that has work.
static void settle(const vector_core_t *core, vector_walk_t *walk, bool more) {
  const attention_problem_t *problem = core->problem;
  walk->more = more;
  while (walk->more) {
    enter_stage(core, walk);
    if (walk->turn.stage == STAGE_SCORES || problem->output_every_block || last_block(walk)) {
      return;
    }
    walk->more = preload_next(&problem->plan, false, problem->turns, &walk->turn);
  }
}

static vector_walk_t walk_start(const vector_core_t *core) {
  const attention_problem_t *problem = core->problem;
  vector_walk_t walk = {0};
  walk.place[STAGE_SCORES] = walk.place[STAGE_OUTPUT] = attention_first_place(problem);
  settle(core, &walk, preload_first(&problem->plan, false, problem->turns, &walk.turn));
  return walk;
}

static void next_stage(const vector_core_t *core, vector_walk_t *walk) {
  const attention_problem_t *problem = core->problem;
  if (walk->turn.stage == STAGE_SCORES) {
    walk->scores++;
  } else {
    walk->outputs++;
  }
  settle(core, walk, preload_next(&problem->plan, false, problem->turns, &walk->turn));
}

static void walk_next(const vector_core_t *core, vector_walk_t *walk) {
  const bool last = last_chunk(core, walk);
  walk->tile += walk->rows > 0;
  walk->row += chunk_rows(core, walk);
  if (last) {
    next_stage(core, walk);
  }
}

static chunk_t chunk_at(const vector_core_t *core, const vector_walk_t *walk) {
  const attention_args_t *args = &core->problem->args;
  const bool scores = walk->turn.stage == STAGE_SCORES;
  const attention_place_t *place = walk_place(walk);
  const uint32_t keys = attention_block_keys(core->problem, &place->unit, place->block);
  const uint32_t tile = ring_slot(&core->tile_full, walk->tile);
  return (chunk_t){.turn = walk->turn.block,
                   .block = place->block,
                   .row = walk->row,
                   .rows = min_u32(chunk_rows(core, walk), walk->rows - walk->row),
                   .cols = scores ? keys : args->dv,
                   .tile = tile,
                   .mask = tile + mask_at(core),
                   .pitch = scores ? 4 * args->block : round_up(4 * args->dv, 32)};
}

// The divisor of O of the unit at hand.
static uint32_t unit_divisor(const vector_core_t *core) {
  return row_value(row_turn(ROW_DIVISOR, walk_place(core->at)->ordinal), 0);
}

#endif
