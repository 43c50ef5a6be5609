// Lists, groups and units of kernel fp8, see fp8_args.h.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_problem.h"
#include "lib/panic.h"
#include "lib/tiling.h"

// A list without places is one short block of masked ones.
enum { EMPTY_KEYS = 16 };

static bool valid(const fp8_args_t *fp8) {
  const attention_args_t *args = &fp8->attention;
  return args->batch <= FP8_MAX_LISTS && args->dk == FP8_DK && args->dv == FP8_DV && args->splits == 1 &&
         args->visible == 0 && fp8->heads >= 1 && fp8->query_tokens >= 1 && fp8->lists_of_entry >= 1 &&
         (fp8->index == 0 || fp8->block_table == 0) && (fp8->block_table == 0 || fp8->page_size >= 1) &&
         (fp8->index == 0 || !fp8->causal) && fp8->crossover <= 1 && fp8->direct == FP8_DIRECT &&
         (!FP8_DIRECT || args->preload >= 1) && args->tiling == TILING_PAPER && args->kv_buffers == 0 &&
         args->qp_buffers == QP_SHARED && (!fp8->crossover || args->rows >= 2);
}

// L1, by what the group's rows leave room for: Q and P of one m-tile, or by turns those of two; the rest
// is for panels of K and V, or of V, and the ring of keys.  With few rows these are what the cube core
// waits for.
typedef struct cut {
  uint16_t rows;
  uint16_t scores_stripe, output_stripe, scores_base;
  uint8_t q_slots, p_slots, right;
  uint8_t direct_keys, direct_slots;
} cut_t;

#if FP8_DIRECT
// P has a block's slots, and V what is left.
static const cut_t cuts[] = {
    {ATTENTION_TILE / 2, FP8_DK, 128, 2 * FP8_GROUP, 1, 0, 0, 64, 3},
    {FP8_DIRECT_ROWS, FP8_DK, 128, FP8_GROUP, 1, 0, 0, 64, 2},
};

static void fill_l1(const fp8_problem_t *problem, cut_t *cut) {
  const uint32_t p_slots = ceil_div(problem->attention.args.block, cut->output_stripe);
  const uint32_t taken = 2u * FP8_DK * (cut->rows + (uint32_t)cut->direct_keys * cut->direct_slots) +
                         2u * cut->output_stripe * cut->rows * p_slots;
  cut->p_slots = (uint8_t)p_slots;
  cut->right = (uint8_t)((FP8_L1_KB * 1024u - taken) / (2u * cut->output_stripe * ATTENTION_TILE));
}
#else
static const cut_t cuts[] = {
    {ATTENTION_TILE / 2, 256, 256, FP8_GROUP, 3, 2, 5, 0, 0},
    {ATTENTION_TILE, 128, 128, FP8_GROUP, 5, 4, 7, 0, 0},
    {ATTENTION_MAX_GROUP, 128, 128, FP8_GROUP, 5, 5, 6, 0, 0},
};
#endif

static cut_t find_cut(const fp8_problem_t *problem) {
  uint32_t i = 0;
  while (cuts[i].rows < problem->attention.group_rows) {
    i++;
  }
  cut_t cut = cuts[i];
#if FP8_DIRECT
  fill_l1(problem, &cut);
#endif
  return cut;
}

static void make_tiling(fp8_problem_t *problem) {
  const cut_t cut = find_cut(problem);
  const uint32_t rows = min_u32(cut.rows, ATTENTION_TILE);
  const uint32_t right_bytes = 2u * cut.output_stripe * ATTENTION_TILE;
  problem->q_slots = cut.q_slots;
  problem->p_slots = cut.p_slots;
  problem->left_bytes[0] = 2 * cut.scores_stripe * rows;
  problem->left_bytes[1] = 2 * cut.output_stripe * rows;
  problem->left_base[0] = 0;
  problem->left_base[1] = cut.q_slots * problem->left_bytes[0];
  problem->right_base = problem->left_base[1] + cut.p_slots * problem->left_bytes[1];
#if FP8_DIRECT
  problem->direct_keys = cut.direct_keys;
  problem->direct_slots = cut.direct_slots;
  problem->direct_base = problem->right_base + cut.right * right_bytes;
#endif
  problem->attention.tiling = (attention_tiling_t){
      .scores_stripe = cut.scores_stripe,
      .output_stripe = cut.output_stripe,
      .scores_base = cut.scores_base,
      .output_base = FP8_GROUP,
      .buffer = right_bytes,
      .left = cut.q_slots + cut.p_slots,
      .right = cut.right,
      .halves = 2,
      .keep = true,
      .m_first = true,
  };
}

void fp8_plan(attention_problem_t *problem) {
  preload_plan_t *plan = &problem->plan;
  if (FP8_DIRECT) {
    plan->cube_lag[STAGE_OUTPUT] = (uint8_t)(plan->cube_lag[STAGE_SCORES] + problem->args.preload);
    plan->count = max_u32(plan->count, plan->cube_lag[STAGE_OUTPUT]);
  }
}

void fp8_problem_read(attention_problem_t *problem) {
  fp8_problem_t *own = (fp8_problem_t *)problem;
  const fp8_args_t *fp8 = FP8_IN_LIST ? own->args : hal_gm(hal_read(REG_ARGS));
  attention_args_t *args = &problem->args;
  require(valid(fp8), PANIC_ARGUMENTS);
  const uint32_t group_rows = fp8_group_rows(args->rows, args->group_rows, fp8->crossover);
  require(!FP8_DIRECT || group_rows <= FP8_DIRECT_ROWS, PANIC_ARGUMENTS);
  const uint64_t core = hal_read(REG_CORE_INDEX);
  const uint64_t elements = (uint64_t)ATTENTION_SLOTS * group_rows * args->block;
  uint64_t workspace = core;
  own->args = fp8;
  own->side = 0;
  if (fp8->crossover) {
    problem->unit_step = (uint32_t)hal_read(REG_PAIR_COUNT);
    require(problem->unit_step > 0, PANIC_MACHINE);
    problem->first_unit = (uint32_t)hal_read(REG_PAIR_INDEX);
    own->side = (uint32_t)hal_read(REG_PAIR_SIDE);
    workspace = problem->first_unit;
  }
  args->s = fp8->attention.s + core * elements * 4;
  args->p = fp8->attention.p + core * elements * 2;
  args->o = fp8->attention.o + core * ATTENTION_SLOTS * group_rows * args->o_pitch;
  args->k = fp8->kv + workspace * FP8_KV_SLOTS * args->block * 2 * FP8_DK;
  args->v = args->k;
  args->k_batch = args->v_batch = 0;
  args->k_pitch = args->v_pitch = 2 * FP8_DK;
  problem->group_rows = group_rows;
  problem->groups = fp8_groups(args->rows, args->group_rows, fp8->crossover);
  problem->units = args->batch * (problem->groups >> fp8->crossover);
  make_tiling(own);
}

uint32_t fp8_places(const fp8_problem_t *problem, const attention_unit_t *unit) {
  return problem->args->places[unit->entry];
}

uint32_t fp8_entry(const fp8_problem_t *problem, const attention_unit_t *unit) {
  return unit->entry / problem->args->lists_of_entry;
}

attention_unit_t fp8_unit(const attention_problem_t *problem, uint32_t index) {
  const attention_args_t *args = &problem->args;
  const uint32_t crossover = fp8_problem(problem)->args->crossover;
  const uint32_t of_list = problem->groups >> crossover;
  const uint32_t list = index / of_list;
  const uint32_t group = (index % of_list << crossover) + fp8_problem(problem)->side;
  const uint32_t first = crossover ? group * args->rows / problem->groups : group * args->group_rows;
  const uint32_t end =
      crossover ? (group + 1) * args->rows / problem->groups : min_u32(first + args->group_rows, args->rows);
  const uint32_t places = list < args->batch ? fp8_problem(problem)->args->places[list] : 0;
  return (attention_unit_t){
      .index = index,
      .entry = list,
      .first_row = first,
      .rows = end - first,
      .blocks = max_u32(1, ceil_div(places, args->block)),
  };
}

uint32_t fp8_block_keys(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block) {
  const uint32_t places = fp8_places(fp8_problem(problem), unit);
  return places == 0 ? EMPTY_KEYS : tile_length(places, problem->args.block, block);
}
