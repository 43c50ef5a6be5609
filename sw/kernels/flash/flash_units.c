// Spans, groups and units of kernel flash, see flash_args.h; its plan.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/flash/flash_problem.h"
#include "lib/panic.h"

static bool valid(const flash_args_t *flash) {
  const attention_args_t *args = &flash->attention;
  return args->dk <= FLASH_MAX_DIM && args->dv <= FLASH_MAX_DIM && args->group_rows <= FLASH_GROUP &&
         args->block <= FLASH_BLOCK && args->visible == 0 && args->tiling == TILING_PAPER && args->kv_buffers == 0 &&
         args->qp_buffers == QP_SHARED && flash->seq_q >= 1 && args->rows % flash->seq_q == 0 && flash->kv_heads >= 1 &&
         args->batch % flash->kv_heads == 0 && flash->causal <= 1 && flash->fp16 <= 1 &&
         (!flash->causal || flash->token != 0) && flash->groups >= 1 && flash->preload <= FLASH_PRELOAD &&
         flash->behind >= 1 && flash->behind < FLASH_SLOTS &&
         (!FLASH_MORE || flash->table == 0 || args->block % FLASH_PAGE == 0) &&
         (!flash->has_lengths || args->batch / flash->kv_heads <= FLASH_MAX_LENGTHS);
}

// Every piece of K and V is 128 by 128 at most and has 32 KB of L1, a tile of Q or P what its rows take:
// Q of two units, P of a block, and what is left for K and V.
static attention_tiling_t tiling(flash_problem_t *problem, const attention_args_t *args) {
  const uint32_t piece = 2 * ATTENTION_TILE * ATTENTION_TILE;
  const uint32_t left = 2 * ceil_div(args->dk, ATTENTION_TILE) + FLASH_P_SLOTS;
  problem->left_bytes = 2 * ATTENTION_TILE * round_up(problem->attention.group_rows, 16);
  return (attention_tiling_t){
      .scores_stripe = ATTENTION_TILE,
      .output_stripe = ATTENTION_TILE,
      .scores_base = ATTENTION_TILE,
      .output_base = ATTENTION_TILE,
      .buffer = piece,
      .left = left,
      .right = (FLASH_L1_KB * 1024 - left * problem->left_bytes) / piece,
      .halves = 2,
      .keep = true,
      .m_first = true,
  };
}

void flash_read(attention_problem_t *problem) {
  flash_problem_t *own = (flash_problem_t *)problem;
  const flash_args_t *flash = FLASH_IN_LIST ? own->args : hal_gm(hal_read(REG_ARGS));
  attention_args_t *args = &problem->args;
  require(valid(flash), PANIC_ARGUMENTS);
  const uint64_t core = hal_read(REG_CORE_INDEX);
  own->args = flash;
  own->deal = flash_deal(args->batch, args->rows, flash->seq_q, flash->causal != 0, args->group_rows);
  own->deal.groups = flash->groups;
  own->deal.splits = args->splits;
  own->deal.cores = (uint32_t)hal_read(REG_CORE_COUNT);
  const uint32_t group_rows = flash_group_rows(&own->deal);
  require(group_rows <= args->group_rows && flash->groups <= ceil_div(own->deal.span, FLASH_STRIP), PANIC_ARGUMENTS);
  const uint64_t elements = core * FLASH_SLOTS * group_rows * args->block;
  args->s = flash->attention.s + elements * 4;
  args->p = flash->attention.p + elements * 2;
  args->t = flash->attention.t + core * FLASH_SLOTS * group_rows * args->o_pitch;
  problem->group_rows = group_rows;
  problem->groups = flash->groups;
  problem->units = flash_units(&own->deal);
  problem->tiling = tiling(own, args);
}

uint32_t flash_length(const flash_problem_t *problem, const attention_unit_t *unit) {
  const flash_args_t *flash = problem->args;
  return flash->has_lengths ? flash->length[unit->entry / flash->kv_heads] : problem->attention.args.keys;
}

static void find_blocks(const flash_problem_t *problem, attention_unit_t *unit) {
  const attention_args_t *args = &problem->attention.args;
  const uint32_t length = flash_length(problem, unit);
  const uint32_t blocks = ceil_div(length, args->block);
  const uint32_t keys = flash_keys_seen(&problem->deal, unit->first_row, unit->rows, length);
  const uint32_t seen = ceil_div(keys, args->block);
  const uint32_t splits = min_u32(args->splits, blocks);
  const uint32_t first = unit->split < splits ? unit->split * blocks / splits : blocks;
  const uint32_t end = unit->split < splits ? (unit->split + 1) * blocks / splits : blocks;
  if (first >= min_u32(end, seen)) {
    unit->first_block = FLASH_EMPTY;
    unit->blocks = 1;
  } else {
    unit->first_block = first;
    unit->blocks = min_u32(end, seen) - first;
  }
}

attention_unit_t flash_unit(const attention_problem_t *problem, uint32_t index) {
  const flash_problem_t *own = flash_problem(problem);
  const flash_deal_t *deal = &own->deal;
  const uint32_t number = flash_number(deal, index);
  const uint32_t item = number / deal->splits;
  if (item >= flash_items(deal)) {
    return (attention_unit_t){.index = index, .rows = problem->group_rows};
  }
  const flash_group_t group = flash_group(deal, item);
  attention_unit_t unit = {.index = index,
                           .entry = group.entry,
                           .first_row = group.first_row,
                           .rows = group.rows,
                           .split = number % deal->splits};
  find_blocks(own, &unit);
  return unit;
}

uint32_t flash_block_keys(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block) {
  if (block + 1 < unit->blocks) {
    return problem->args.block;  // the usual case, for the scalar cores' time
  }
  if (flash_is_empty(unit)) {
    return min_u32(FLASH_EMPTY_KEYS, problem->args.keys);
  }
  const flash_problem_t *own = flash_problem(problem);
  const uint32_t seen = flash_keys_seen(&own->deal, unit->first_row, unit->rows, flash_length(own, unit));
  return tile_length(seen, problem->args.block, unit->first_block + block);
}

void flash_plan(attention_problem_t *problem) {
  const flash_args_t *flash = flash_problem(problem)->args;
  preload_plan_t *plan = &problem->plan;
  const uint32_t behind = flash->behind;
  const uint32_t ahead = flash->preload;
  plan->pairs = STAGES;
  plan->cube_order[0] = plan->vector_order[0] = STAGE_SCORES;
  plan->cube_order[1] = plan->vector_order[1] = STAGE_OUTPUT;
  plan->cube_lag[STAGE_SCORES] = 0;
  plan->vector_lag[STAGE_SCORES] = 0;
  plan->cube_lag[STAGE_OUTPUT] = (uint8_t)min_u32(behind + 1, ahead);
  plan->vector_lag[STAGE_OUTPUT] = (uint8_t)max_u32(1, min_u32(behind, ahead));
  plan->count = max_u32(plan->cube_lag[STAGE_OUTPUT], plan->vector_lag[STAGE_OUTPUT]);
}
