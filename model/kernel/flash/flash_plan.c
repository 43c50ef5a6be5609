// The one place where the sizes of kernel flash are chosen: keys of a block, groups of rows, splits.
//
// All by one estimate: the cycles of a core's units, block after block in the time of its slowest part, and of the
// first block's way in and the last one's out.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "kernel/flash/flash.h"

enum {
  MOST_GROUPS = 1 << 16,  // that are looked at, of all candidates together
  // Cycles.
  WAY_THROUGH = 12000,  // of a block through cores and memory, beside what its keys take
  BLOCK = 1400,         // of the cube's scalar core
  PRODUCT = 600,
  COMMAND = 27,  // of a scalar core
};

static double greater(double a, double b) { return a > b ? a : b; }

// A vector core's part of a block: 10.8 cycles for 64 scores and 14 for the reductions and O of a row; a
// tile's operations cost 84 cycles to start, and 12 for each fold. With few rows its scalar core, which pushes 24
// commands for a tile and two for each fold, is slower. Where a causal mask cuts, that is 3.1 cycles more for 64
// scores.
static double vector_cycles(double rows, double keys, double dv, size_t block, bool cut) {
  const double tile = 2 * block > FLASH_BLOCK ? 16 : 32;
  const double score = cut ? 10.8 + 3.1 : 10.8;
  const double pieces = ceil(keys / 64);
  const double tiles = (rows + tile - 1) / tile;
  const double work = rows * (score * pieces + 10 + 2.1 * dv / 64) + tiles * (84 + 12 * pieces) + 100;
  return greater(work, tiles * (24 + 2 * pieces) * COMMAND + 400);
}

// The cube core's: what FIX stores at 75 bytes a cycle, what MTE2 loads at 83, what its scalar core does for a block
// and for each product of 128 x 128 x 128 in it.
static double cube_cycles(double rows, double keys, double dk, double dv) {
  const double stores = rows * (keys + dv) * 4 / 75;
  const double loads = (keys * (dk + dv) + rows * keys) * 2 / 83;
  const double products = ceil(keys / 128) * (ceil(dk / 128) + ceil(dv / 128));
  return greater(greater(stores, loads), BLOCK + products * PRODUCT);
}

static double block_cycles(const flash_run_t *run, double rows, double keys, size_t block, bool cut) {
  const flash_problem_t *problem = &run->problem;
  const double subs = (double)run->settings.machine.soc.config.soc.vector_cores;
  return greater(vector_cycles((rows + subs - 1) / subs, keys, (double)problem->dv, block, cut),
                 cube_cycles(rows, keys, (double)problem->dk, (double)problem->dv));
}

static double group_cycles(const flash_run_t *run, const flash_group_t *group, size_t block) {
  const flash_problem_t *problem = &run->problem;
  const uint32_t length = (uint32_t)flash_length(problem, group->entry);
  const uint32_t seen = flash_keys_seen(&run->deal, group->first_row, group->rows, length);
  const uint32_t whole = seen == 0 ? 0 : (seen - 1) / (uint32_t)block;
  const uint32_t last = seen - whole * (uint32_t)block;
  return whole * block_cycles(run, group->rows, (double)block, block, false) +
         block_cycles(run, group->rows, last, block, problem->causal);
}

// Of the core that has the most to do; with so many groups, of all cores together.
static double busiest_cycles(const flash_run_t *run, size_t block) {
  const flash_deal_t *deal = &run->deal;
  const uint32_t items = flash_items(deal);
  double *core = calloc(deal->cores, sizeof *core);
  double most = 0;
  for (uint32_t index = 0; core != NULL && index < flash_units(deal); ++index) {
    const uint32_t item = flash_number(deal, index) / deal->splits;
    if (item < items) {
      const flash_group_t group = flash_group(deal, item);
      core[index % deal->cores] += group_cycles(run, &group, block) / deal->splits;
      most = greater(most, core[index % deal->cores]);
    }
  }
  free(core);
  const double rows = flash_group_rows(deal);
  const double way = rows * (double)block * 4 / 75 + block_cycles(run, rows, (double)block, block, false);
  return most + WAY_THROUGH + (rows == FLASH_GROUP ? way / 2 : way);  // whole groups: in two parts
}

static void choose_splits(flash_run_t *run, size_t block) {
  flash_deal_t *deal = &run->deal;
  const size_t blocks = (run->problem.keys + block - 1) / block;
  size_t splits = run->settings.splits;
  deal->splits = 1;
  if (splits == FLASH_SPLITS_AUTO) {
    splits = deal->cores / flash_items(deal);
    splits = splits < ATTENTION_MAX_SPLITS ? splits : ATTENTION_MAX_SPLITS;
  }
  splits = splits < blocks ? splits : blocks;
  deal->splits = splits == 0 ? 1 : (uint32_t)splits;
}

// From as few groups as there can be to half as many more.
static void choose_groups(flash_run_t *run, size_t block) {
  flash_deal_t *deal = &run->deal;
  const uint32_t strips = flash_ceil_div(deal->span, FLASH_STRIP);
  const uint32_t fewest = flash_ceil_div(strips, run->settings.group_rows / FLASH_STRIP);
  const uint32_t affordable = MOST_GROUPS / deal->spans / fewest;
  const uint32_t more = fewest / 2 < affordable ? fewest / 2 : affordable;
  double least = 0;
  uint32_t best = fewest;
  for (uint32_t groups = fewest; groups <= fewest + more && groups <= strips; ++groups) {
    deal->groups = groups;
    choose_splits(run, block);
    const double cycles = busiest_cycles(run, block);
    if (groups == fewest || cycles < 0.99 * least) {
      least = cycles;
      best = groups;
    }
  }
  deal->groups = best;
  choose_splits(run, block);
}

static size_t choose_block(flash_run_t *run) {
  size_t best = FLASH_BLOCK;
  double least = 0;
  for (size_t block = FLASH_BLOCK; block >= FLASH_BLOCK / 4; block /= 2) {
    choose_groups(run, block);
    const double cycles = busiest_cycles(run, block);
    if (block == FLASH_BLOCK || cycles < least) {
      least = cycles;
      best = block;
    }
  }
  return best;
}

void flash_choose(flash_run_t *run, size_t block) {
  flash_problem_t *problem = &run->problem;
  run->deal = flash_deal((uint32_t)flash_entries(problem), (uint32_t)flash_rows(problem), (uint32_t)problem->seq_q,
                         problem->causal, run->settings.group_rows);
  run->deal.cores = (uint32_t)run->settings.machine.soc.config.soc.ai_cores;
  problem->block = block == 0 ? choose_block(run) : block;
  choose_groups(run, problem->block);
  problem->splits = run->deal.splits;
}
