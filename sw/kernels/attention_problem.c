// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention_problem.h"

#include "hal/hal.h"
#include "lib/panic.h"
#include "lib/tiling.h"

static bool args_valid(const attention_args_t *a) {
  return a->rows >= 1 && a->rows <= ATTENTION_MAX_ROWS && a->keys >= 1 && a->dk >= 1 &&
         a->dk <= ATTENTION_MAX_DK && a->dv >= 1 && a->dv <= ATTENTION_MAX_DV && a->block >= 16 &&
         a->block <= ATTENTION_MAX_BLOCK && a->block % 16 == 0 && a->o_pitch >= 4 * a->dv &&
         a->preload <= ATTENTION_SLOTS;
}

void attention_problem_read(attention_problem_t *problem) {
  const attention_args_t *args = hal_gm(hal_read(REG_ARGS));
  require(args_valid(args), PANIC_ARGUMENTS);
  const uint64_t core = hal_read(REG_CORE_INDEX);
  const uint64_t elements = (uint64_t)ATTENTION_SLOTS * args->rows * args->block;
  const uint64_t o_bytes = (uint64_t)args->rows * args->o_pitch;

  problem->args = *args;
  problem->args.s += core * elements * 4;
  problem->args.p += core * elements * 2;
  problem->args.t += core * ATTENTION_SLOTS * o_bytes;
  problem->args.o += core * o_bytes;
  problem->blocks = ceil_div(args->keys, args->block);
  problem->preload = min_u32(args->preload, problem->blocks);
  problem->first_entry = (uint32_t)core;
  problem->entry_step = (uint32_t)hal_read(REG_CORE_COUNT);
}

uint32_t attention_block_keys(const attention_problem_t *problem, uint32_t block) {
  return tile_length(problem->args.keys, problem->args.block, block);
}

static uint64_t slot(const attention_problem_t *problem, uint32_t block, uint32_t element_bytes) {
  const attention_args_t *args = &problem->args;
  return (uint64_t)(block % ATTENTION_SLOTS) * args->rows * args->block * element_bytes;
}

uint64_t attention_scores(const attention_problem_t *problem, uint32_t block) {
  return problem->args.s + slot(problem, block, 4);
}

uint64_t attention_probabilities(const attention_problem_t *problem, uint32_t block) {
  return problem->args.p + slot(problem, block, 2);
}
