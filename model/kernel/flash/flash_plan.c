// The one place where the sizes of kernel flash are chosen: keys of a block, groups of rows, splits.
//
// All by one estimate: the cycles of a core's units, block after block in the time of its slowest part, and of the
// first block's way in and the last one's out.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "base/size.h"
#include "core/estimate.h"
#include "kernel/attention/attention_stages.h"
#include "kernel/flash/flash.h"

enum {
  MOST_GROUPS = 1 << 16,  // that are looked at, of all candidates together
  // Commands, and instructions of a scalar core for one: counted in its firmware.
  TILE_COMMANDS = 24,
  PIECE_COMMANDS = 2,
  VECTOR_COMMANDS = 15,  // of a block
  VECTOR_INSTRUCTIONS = 23,
  PRODUCT_COMMANDS = 17,
  CUBE_COMMANDS = 40,  // of a block
  CUBE_INSTRUCTIONS = 31,
};

// A vector core's part of a block: V1 and V2, or what its scalar core pushes for them, which takes longer where a tile
// has few rows.
static double vector_cycles(const config_t *config, size_t rows, size_t keys, size_t dv, size_t block, bool cut) {
  const size_t tile = 2 * block > FLASH_BLOCK ? 16 : 32;
  const attention_scores_t scores = {.rows = rows, .keys = keys, .tile_rows = tile, .tree = true, .cut = cut};
  const size_t commands =
      (rows + tile - 1) / tile * (TILE_COMMANDS + PIECE_COMMANDS * ((keys + 63) / 64)) + VECTOR_COMMANDS;
  return fmax(attention_scores_cycles(config, &scores) + attention_output_cycles(config, rows, dv),
              estimate_scalar_cycles(config, (double)commands, VECTOR_INSTRUCTIONS));
}

// The cube core's: what FIX stores, what MTE2 loads, what its scalar core does for a block and for each product of 128
// x 128 x 128 in it.
static double cube_cycles(const config_t *config, size_t rows, size_t keys, size_t dk, size_t dv, size_t block) {
  const double stores = attention_store_cycles(config, rows, keys, 4 * block) +
                        attention_store_cycles(config, rows, dv, (4 * dv + 63) / 64 * 64);
  const double bytes = 2.0 * (double)(keys * (dk + dv) + rows * keys);
  const double loads = bytes / config_bytes_per_cycle(config, config->cube.load_gbps);
  const size_t products = (keys + 127) / 128 * ((dk + 127) / 128 + (dv + 127) / 128);
  const double commands = (double)(CUBE_COMMANDS + products * PRODUCT_COMMANDS);
  return fmax(fmax(stores, loads), estimate_scalar_cycles(config, commands, CUBE_INSTRUCTIONS));
}

typedef struct parts {
  double vector, cube;
} parts_t;

static parts_t parts_at(const config_t *config, size_t dk, size_t dv, size_t rows, size_t keys, size_t block,
                        bool cut) {
  return (parts_t){.vector = vector_cycles(config, ceil_div(rows, config->soc.vector_cores), keys, dv, block, cut),
                   .cube = cube_cycles(config, rows, keys, dk, dv, block)};
}

static parts_t parts_of(const flash_run_t *run, size_t rows, size_t keys, size_t block, bool cut) {
  const flash_problem_t *problem = &run->problem;
  return parts_at(&run->settings.machine.soc.config, problem->dk, problem->dv, rows, keys, block, cut);
}

static double block_cycles(const flash_run_t *run, size_t rows, size_t keys, size_t block, bool cut) {
  const parts_t parts = parts_of(run, rows, keys, block, cut);
  // S, P and T from core to core: FLASH_SLOTS blocks may be on that way at once.
  const double way = 3 * estimate_handover_cycles(&run->settings.machine.soc.config) + parts.vector + parts.cube;
  return fmax(fmax(parts.vector, parts.cube), way / FLASH_SLOTS);
}

static double group_cycles(const flash_run_t *run, const flash_group_t *group, size_t block) {
  const flash_problem_t *problem = &run->problem;
  const uint32_t length = (uint32_t)flash_length(problem, group->entry);
  const uint32_t seen = flash_keys_seen(&run->deal, group->first_row, group->rows, length);
  const uint32_t whole = seen == 0 ? 0 : (seen - 1) / (uint32_t)block;
  const uint32_t last = seen - whole * (uint32_t)block;
  return whole * block_cycles(run, group->rows, block, block, false) +
         block_cycles(run, group->rows, last, block, problem->causal);
}

// Cycles of the core that has the most to do.
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
      most = fmax(most, core[index % deal->cores]);
    }
  }
  free(core);
  // The last block: S is stored, then V1, C2 (half of what the cube core does) and V2 follow each other.
  const config_t *config = &run->settings.machine.soc.config;
  const size_t rows = flash_group_rows(deal);
  const parts_t parts = parts_of(run, rows, block, block, false);
  const double way = attention_store_cycles(config, rows, block, 4 * block) + parts.vector + parts.cube / 2;
  return most + (rows == FLASH_GROUP ? way / 2 : way);  // whole groups: in two parts
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

// From the end of V1(j) over C2(j) to V2(j): P and T go from core to core, stored by one and loaded by the other.
static double output_way(const config_t *config, size_t rows, size_t block, size_t dv) {
  const size_t t_bytes = (4 * dv + 63) / 64 * 64;
  const double core_rows = (double)rows / config->soc.vector_cores;
  const double p_row = 2 * (double)block;
  return 2 * estimate_handover_cycles(config) +
         core_rows * p_row / config_bytes_per_cycle(config, config->vector.store_gbps) +
         (double)rows * p_row / config_bytes_per_cycle(config, config->cube.load_gbps) +
         attention_product_cycles(config, rows, block, dv) + attention_store_cycles(config, rows, dv, t_bytes) +
         core_rows * (double)t_bytes / config_bytes_per_cycle(config, config->vector.load_gbps);
}

uint32_t flash_behind(const config_t *config, size_t rows, size_t block, size_t dk, size_t dv) {
  const parts_t parts = parts_at(config, dk, dv, rows, block, block, false);
  const double blocks = ceil(output_way(config, rows, block, dv) / fmax(parts.vector, parts.cube));
  return blocks < FLASH_SLOTS - 1 ? (uint32_t)blocks : FLASH_SLOTS - 1;
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
