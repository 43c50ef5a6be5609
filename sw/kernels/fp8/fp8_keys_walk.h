// Private to fp8_keys.c: the order in which a vector core makes keys: block by block, of a block its share,
// of that a tile at a time.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_KEYS_WALK_H
#define AMALGAM_SW_KERNELS_FP8_FP8_KEYS_WALK_H

#include "hal/hal.h"
#include "kernels/fp8/fp8_vector.h"
#include "lib/tiling.h"

enum { KEYS_ROWS = 16 };  // tokens of a tile, at most

static inline const fp8_problem_t *problem_of(const fp8_core_t *core) { return fp8_problem(core->vector.problem); }

// Finds the places that the block's tokens come from and go to.
static void find_tokens(const fp8_problem_t *problem, keys_walk_t *walk) {
  const fp8_args_t *fp8 = problem->args;
  const attention_unit_t *unit = &walk->place.unit;
  const uint32_t entry = fp8_entry(problem, unit);
  walk->none = fp8_places(problem, unit) == 0;
  walk->tokens = fp8->tokens + entry * fp8->tokens_batch;
  walk->place_before = walk->place.block * problem->attention.args.block;
  walk->slot =
      problem->attention.args.k + (uint64_t)(walk->turn % FP8_KV_SLOTS) * problem->attention.args.block * 2 * FP8_DK;
  walk->list = 0;
  walk->page = 1;
  if (fp8->index != 0) {
    walk->list = fp8->index + (uint64_t)unit->entry * fp8->index_pitch;
  } else if (fp8->block_table != 0) {
    walk->list = fp8->block_table + (uint64_t)entry * fp8->block_table_pitch;
    walk->page = fp8->page_size;
  }
}

// The vector cores share a slot of the direct ring at a time, or a block: its keys, and those of
// the block before it.
#if FP8_DIRECT
static uint32_t part_before(const fp8_core_t *core, const keys_walk_t *walk) {
  return walk->part * problem_of(core)->direct_keys;
}
static uint32_t part_keys(const fp8_core_t *core, const keys_walk_t *walk) {
  return min_u32(walk->keys - part_before(core, walk), problem_of(core)->direct_keys);
}
#else
static uint32_t part_before(const fp8_core_t *core, const keys_walk_t *walk) {
  (void)core;
  (void)walk;
  return 0;
}
static uint32_t part_keys(const fp8_core_t *core, const keys_walk_t *walk) {
  (void)core;
  return walk->keys;
}
#endif

// This core's keys of the part.  All take a multiple of a tile, the last ones what is left, maybe
// nothing.
static inline void enter_part(const fp8_core_t *core, keys_walk_t *walk) {
  const fp8_problem_t *problem = problem_of(core);
  const uint32_t subs = (uint32_t)hal_read(REG_SUB_COUNT);
  const uint32_t index = problem->side * subs + (uint32_t)hal_read(REG_SUB_INDEX);
  const uint32_t before = part_before(core, walk);
  const uint32_t keys = part_keys(core, walk);
  const uint32_t share = round_up(ceil_div(keys, subs << problem->args->crossover), KEYS_ROWS);
  walk->first = before + min_u32(share * index, keys);
  walk->end = min_u32(walk->first + share, before + keys);
  walk->at = walk->first;
}

// The block at walk->turn.
static void enter_block(const fp8_core_t *core, keys_walk_t *walk) {
  const fp8_problem_t *problem = problem_of(core);
  if (walk->turn >= problem->attention.turns) {
    return;
  }
  attention_move(&problem->attention, &walk->place, walk->turn);
  walk->keys = attention_block_keys(&problem->attention, &walk->place.unit, walk->place.block);
  walk->tiles = 0;
#if FP8_DIRECT
  walk->part = 0;
#endif
  enter_part(core, walk);
  find_tokens(problem, walk);
}

static uint32_t tile_rows(const keys_walk_t *walk) { return min_u32(KEYS_ROWS, walk->end - walk->at); }

static bool last_tile(const keys_walk_t *walk) { return walk->at + KEYS_ROWS >= walk->end; }

static bool last_part(const fp8_core_t *core, const keys_walk_t *walk) {
  return part_before(core, walk) + part_keys(core, walk) == walk->keys;
}

static void next_tile(const fp8_core_t *core, keys_walk_t *walk) {
  walk->use += walk->first < walk->end;
  walk->tiles++;
  if (!last_tile(walk)) {
    walk->at += KEYS_ROWS;
    return;
  }
#if FP8_DIRECT
  walk->parts++;
  if (!last_part(core, walk)) {
    walk->part++;
    enter_part(core, walk);
    return;
  }
#endif
  walk->turn++;
  enter_block(core, walk);
}

#endif
