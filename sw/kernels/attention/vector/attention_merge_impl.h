// Merges the results of a unit's splits, (m, l, O) a row, into one: NUMERICS.md section 5.
//
// The rows of a group are dealt to all the vector cores that computed its splits, in the order of
// the splits.  A step takes a few rows of one split from a tile; O of those before is in a slot of
// the out ring, their m and l in row values.
//
// Included behind a layout of UB. A kernel may define what is loaded with the last split of some rows, and what then is
// added to their l: MERGE_LOAD_LAST(core, unit, row, rows, tile) and MERGE_FINISH(core, rows, tile, l).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_MERGE_IMPL_H
#define AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_MERGE_IMPL_H

#include "kernels/attention/vector/attention_vector.h"

#ifndef MERGE_LOAD_LAST
#define MERGE_LOAD_LAST(core, unit, row, rows, tile) ((void)0)
#define MERGE_FINISH(core, rows, tile, l) ((void)0)
#endif

enum {
  MERGE_ROWS = OUT_SLOT / (4 * OUT_COLS),  // of a step
  // Row values, in place of what the units needed.
  ROW_MERGED_M = ROW_M,  // x2
  ROW_MERGED_L = ROW_L,
  ROW_FACTOR = ROW_SCALE,    // of what is merged
  ROW_HERE = ROW_SCALE + 1,  // of this split
  // Row values of this split, in the tile's mask.
  HERE_L = 512,
};

typedef struct merge_walk {
  bool more;
  attention_unit_t unit;  // one that this core computed
  uint32_t end;           // of this core's rows of the unit
  uint32_t row;           // of the unit
  uint32_t split;
  uint32_t tile;  // use of the tiles
} merge_walk_t;

// To this core's first row of the unit, or of the first one after it that has rows for this core.
static void enter_unit(const vector_core_t *core, merge_walk_t *walk, uint32_t index) {
  const attention_problem_t *problem = core->problem;
  const uint32_t subs = (uint32_t)hal_read(REG_SUB_COUNT);
  for (; index < problem->units; index += problem->unit_step) {
    walk->unit = attention_unit(problem, index);
    const uint32_t share = ceil_div(walk->unit.rows, problem->args.splits * subs);
    const uint32_t part = walk->unit.split * subs + (uint32_t)hal_read(REG_SUB_INDEX);
    walk->row = min_u32(share * part, walk->unit.rows);
    walk->end = min_u32(walk->row + share, walk->unit.rows);
    if (walk->row < walk->end) {
      walk->more = true;
      return;
    }
  }
  walk->more = false;
}

static uint32_t step_rows(const merge_walk_t *walk) { return min_u32(MERGE_ROWS, walk->end - walk->row); }

static void merge_next(const vector_core_t *core, merge_walk_t *walk) {
  walk->tile++;
  if (++walk->split < core->problem->args.splits) {
    return;
  }
  walk->split = 0;
  walk->row += step_rows(walk);
  if (walk->row == walk->end) {
    enter_unit(core, walk, walk->unit.index + core->problem->unit_step);
  }
}

static void load(const vector_core_t *core, const merge_walk_t *walk) {
  const attention_problem_t *problem = core->problem;
  const attention_args_t *args = &problem->args;
  const uint32_t unit = walk->unit.index - walk->unit.split + walk->split;
  const uint32_t tile = ring_slot(&core->tile_full, walk->tile);
  const uint32_t rows = step_rows(walk);

  ring_wait_free(&core->tile_back, walk->tile);
  data_copy_gm_to_ub(.gm = attention_split_ml(problem, unit, walk->row), .gm_pitch = 4 * problem->group_rows,
                     .ub = tile + TILE_BYTES, .ub_pitch = HERE_L, .rows = 2, .row_bytes = 4 * rows);
  data_copy_gm_to_ub(.gm = attention_split_o(problem, unit, walk->row), .gm_pitch = args->o_pitch, .ub = tile,
                     .ub_pitch = round_up(4 * args->dv, 32), .rows = rows, .row_bytes = 4 * args->dv);
  if (walk->split + 1 == args->splits) {
    MERGE_LOAD_LAST(core, &walk->unit, walk->row, rows, tile);
  }
  ring_set_full(&core->tile_full, walk->tile);
}

// The first split is what the others are merged onto.
static void take(const chunk_t *sum, const chunk_t *here) {
  const uint32_t n = here->rows;
  row_op(n, .op = VOP_MUL, .dst = row_value(row_pair(ROW_MERGED_M, 0), 0), .a = here->mask, by_scalar(F32_ONE));
  row_op(n, .op = VOP_MUL, .dst = row_value(ROW_MERGED_L, 0), .a = here->mask + HERE_L, by_scalar(F32_ONE));
  tile_op(here, .op = VOP_MUL, .dst = sum->tile, .dst_pitch = sum->pitch, .a = here->tile, by_scalar(F32_ONE));
}

// The factors of both sides, from their maxima.  -inf - -inf is kept out by taking 0 for m while
// neither side is live; a side that is not has a factor of exp(-inf) = 0.
static void find_factors(const chunk_t *here, uint32_t split) {
  const uint32_t n = here->rows;
  const uint32_t before = row_value(row_pair(ROW_MERGED_M, split - 1), 0);
  const uint32_t m = row_value(row_pair(ROW_MERGED_M, split), 0);
  const uint32_t live = row_value(ROW_BITS, 0);
  const uint32_t safe = row_value(ROW_SAFE, 0);
  const uint32_t a = row_value(ROW_FACTOR, 0);
  const uint32_t b = row_value(ROW_HERE, 0);

  row_op(n, .op = VOP_MAX, .dst = m, .a = here->mask, .b = before);
  row_op(n, .op = VOP_CMP_GT, .dst = live, .a = m, by_scalar(F32_MINUS_INFINITY));
  row_op(n, .op = VOP_SELECT, .dst = safe, .a = m, by_scalar(F32_ZERO), .c = live);
  row_op(n, .op = VOP_SUB, .dst = a, .a = before, .b = safe);
  row_op(n, .op = VOP_EXP, .dst = a, .a = a);
  row_op(n, .op = VOP_SUB, .dst = b, .a = here->mask, .b = safe);
  row_op(n, .op = VOP_EXP, .dst = b, .a = b);
}

static void add(const chunk_t *sum, const chunk_t *here) {
  const uint32_t n = here->rows;
  const uint32_t l = row_value(ROW_MERGED_L, 0);
  const uint32_t l_here = row_value(ROW_TEMP, 0);
  const uint32_t a = row_value(ROW_FACTOR, 0);
  const uint32_t b = row_value(ROW_HERE, 0);

  row_op(n, .op = VOP_MUL, .dst = l, .a = l, .b = a);
  row_op(n, .op = VOP_MUL, .dst = l_here, .a = here->mask + HERE_L, .b = b);
  row_op(n, .op = VOP_ADD, .dst = l, .a = l, .b = l_here);
  tile_update(sum, .op = VOP_MUL, by_row(a));
  tile_update(here, .op = VOP_MUL, by_row(b));
  tile_update(sum, .op = VOP_ADD, .b = here->tile, .b_pitch = here->pitch);
}

// out = O / l
static void finish(vector_core_t *core, const merge_walk_t *walk, const chunk_t *sum) {
  const uint32_t bytes = attention_out_bytes(core);
  const uint32_t l = row_value(ROW_MERGED_L, 0);
  const uint32_t divisor = row_value(ROW_DIVISOR, 0);
  row_op(sum->rows, .op = VOP_MUL, .dst = divisor, .a = l, by_scalar(F32_ONE));
  attention_divide_by_one(sum->rows, l, divisor);
  attention_divide(core, sum, divisor);
  attention_store(core, sum->rows, sum->pitch, attention_out_row(core, &walk->unit, walk->row), bytes, bytes, GM_STORE);
}

static void use(vector_core_t *core, const merge_walk_t *walk) {
  const uint32_t tile = ring_slot(&core->tile_full, walk->tile);
  const uint32_t dv = core->problem->args.dv;
  const chunk_t here = {
      .rows = step_rows(walk), .cols = dv, .tile = tile, .mask = tile + TILE_BYTES, .pitch = round_up(4 * dv, 32)};
  chunk_t sum = here;
  sum.tile = ring_slot(&out_ring, core->out);

  ring_wait_full(&core->tile_full, walk->tile);
  if (walk->split == 0) {
    ring_wait_free(&out_ring, core->out);
    take(&sum, &here);
  } else {
    find_factors(&here, walk->split);
    add(&sum, &here);
  }
  if (walk->split + 1 == core->problem->args.splits) {
    MERGE_FINISH(core, here.rows, tile, row_value(ROW_MERGED_L, 0));
  }
  ring_set_full(&core->tile_done, walk->tile);
  ring_wait_full(&core->tile_done, walk->tile);
  ring_set_free(&core->tile_back, walk->tile);
  if (walk->split + 1 == core->problem->args.splits) {
    finish(core, walk, &sum);
  }
}

void attention_merge(vector_core_t *core, uint32_t tile) {
  // MTE3 of every vector core has stored its splits.
  sync_all(PIPE_MTE3);
  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_SPLITS_STORED);
  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_SPLITS_STORED);
  merge_walk_t loads = {.tile = tile};
  enter_unit(core, &loads, core->problem->first_unit);
  merge_walk_t uses = loads;
  while (uses.more) {
    while (loads.more && loads.tile < uses.tile + core->tile_back.slots) {
      load(core, &loads);
      merge_next(core, &loads);
    }
    use(core, &uses);
    merge_next(core, &uses);
  }
}

#endif
