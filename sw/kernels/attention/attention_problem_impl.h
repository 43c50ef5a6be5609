// The problem, as the kernel that includes this file has it: it may fill in problem_hooks.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_PROBLEM_IMPL_H
#define AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_PROBLEM_IMPL_H

#include <stddef.h>

#include "hal/hal.h"
#include "kernels/attention/attention_problem.h"
#include "lib/panic.h"
#include "lib/tiling.h"

static const attention_problem_hooks_t problem_hooks;

static bool args_valid(const attention_args_t *a) {
  return a->batch >= 1 && a->rows >= 1 && a->group_rows >= 16 && a->group_rows <= ATTENTION_MAX_GROUP &&
         a->group_rows % 16 == 0 && a->keys >= 1 && a->dk >= 1 && a->dk <= ATTENTION_MAX_DK && a->dv >= 1 &&
         a->dv <= ATTENTION_MAX_DV && a->block >= 16 && a->block <= ATTENTION_MAX_BLOCK && a->block % 16 == 0 &&
         a->splits >= 1 && a->splits <= ceil_div(a->keys, a->block) && a->o_pitch >= 4 * a->dv &&
         a->preload <= ATTENTION_SLOTS && a->tiling < TILING_COUNT && a->kv_buffers <= ATTENTION_MAX_KV_BUFFERS;
}

static void make_plan(attention_problem_t *problem) {
  preload_plan_t *plan = &problem->plan;
  if (problem_hooks.plans_alone) {
    problem_hooks.plan(problem);
    return;
  }
  preload_plan(plan, STAGES, problem->args.cycles.cube, problem->args.cycles.vector);
  preload_limit(plan, problem->args.preload);
  // The durations know no waits for flags.  So C1 goes before C2, which
  // leaves V1 the longer time and takes no more slots; and V2(j-1) follows V1(j), which would be
  // late if it had to wait for C2(j-1).  (P has two slots: V2(j) must come before V1(j+2).)
  plan->cube_order[0] = STAGE_SCORES;
  plan->cube_order[1] = STAGE_OUTPUT;
  plan->vector_order[0] = STAGE_SCORES;
  plan->vector_order[1] = STAGE_OUTPUT;
  plan->vector_lag[STAGE_OUTPUT] = (uint8_t)(plan->vector_lag[STAGE_SCORES] + 1);
  plan->count = max_u32(plan->count, plan->vector_lag[STAGE_OUTPUT]);
  if (problem_hooks.plan != NULL) {
    problem_hooks.plan(problem);
  }
}

static uint32_t count_turns(const attention_problem_t *problem) {
  uint32_t turns = 0;
  for (uint32_t i = problem->first_unit; i < problem->units; i += problem->unit_step) {
    turns += attention_unit(problem, i).blocks;
  }
  return turns;
}

void attention_problem_read(attention_problem_t *problem, bool output_every_block) {
  const attention_args_t *args = problem_hooks.args != NULL ? problem_hooks.args(problem) : hal_gm(hal_read(REG_ARGS));
  require(args_valid(args), PANIC_ARGUMENTS);
  const uint64_t core = hal_read(REG_CORE_INDEX);
  const uint32_t group_rows = min_u32(args->group_rows, args->rows);
  const uint64_t elements = (uint64_t)ATTENTION_SLOTS * group_rows * args->block;
  const uint64_t o_bytes = (uint64_t)group_rows * args->o_pitch;

  problem->args = *args;
  problem->args.s += core * elements * 4;
  problem->args.p += core * elements * 2;
  problem->args.t += core * ATTENTION_SLOTS * o_bytes;
  problem->args.o += core * ATTENTION_SLOTS * o_bytes;
  problem->tiling = attention_tiling(args->tiling, args->kv_buffers, args->qp_buffers, group_rows);
  problem->blocks = ceil_div(args->keys, args->block);
  problem->group_rows = group_rows;
  problem->groups = ceil_div(args->rows, args->group_rows);
  problem->units = args->batch * problem->groups * args->splits;
  problem->first_unit = (uint32_t)core;
  problem->unit_step = (uint32_t)hal_read(REG_CORE_COUNT);
  problem->output_every_block = output_every_block;
  if (problem_hooks.read != NULL) {
    problem_hooks.read(problem);
  }
  problem->turns = count_turns(problem);
  make_plan(problem);
}

attention_unit_t attention_unit(const attention_problem_t *problem, uint32_t index) {
  if (problem_hooks.unit != NULL) {
    return problem_hooks.unit(problem, index);
  }
  const attention_args_t *args = &problem->args;
  const uint32_t item = index / args->splits;
  const uint32_t split = index % args->splits;
  const uint32_t group = item % problem->groups;
  const uint32_t first_block = split * problem->blocks / args->splits;
  return (attention_unit_t){
      .index = index,
      .entry = item / problem->groups,
      .first_row = group * args->group_rows,
      .rows = tile_length(args->rows, args->group_rows, group),
      .first_block = first_block,
      .blocks = (split + 1) * problem->blocks / args->splits - first_block,
      .split = split,
  };
}

attention_place_t attention_first_place(const attention_problem_t *problem) {
  return (attention_place_t){.unit = attention_unit(problem, problem->first_unit)};
}

void attention_move(const attention_problem_t *problem, attention_place_t *place, uint32_t turn) {
  while (turn - place->before >= place->unit.blocks) {
    place->before += place->unit.blocks;
    place->unit = attention_unit(problem, place->unit.index + problem->unit_step);
    place->ordinal++;
  }
  place->block = turn - place->before;
}

uint32_t attention_first_key(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block) {
  return (unit->first_block + block) * problem->args.block;
}

uint32_t attention_block_keys(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block) {
  const attention_args_t *args = &problem->args;
  if (problem_hooks.block_keys != NULL) {
    return problem_hooks.block_keys(problem, unit, block);
  }
  return tile_length(args->keys, args->block, unit->first_block + block);
}

static uint64_t slot(const attention_problem_t *problem, uint32_t turn, uint32_t element_bytes) {
  const uint32_t slots = problem_hooks.slots != 0 ? problem_hooks.slots : ATTENTION_SLOTS;
  return (uint64_t)(turn % slots) * problem->group_rows * problem->args.block * element_bytes;
}

uint64_t attention_scores(const attention_problem_t *problem, uint32_t turn) {
  return problem->args.s + slot(problem, turn, 4);
}

uint64_t attention_probabilities(const attention_problem_t *problem, uint32_t turn) {
  return problem->args.p + slot(problem, turn, 2);
}

#endif
