// Private to a vector core's parts: V1, from scores to P, m and l.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_SCORES_H
#define AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_SCORES_H

#include "kernels/attention/vector/attention_vector_walk.h"

// 1 in builds whose sums of P are trees, else they are chains.
#ifndef ROW_SUM_TREE
#define ROW_SUM_TREE 0
#endif

static void load_scores(const vector_core_t *core, const chunk_t *chunk) {
  const attention_problem_t *problem = core->problem;
  const attention_args_t *args = &problem->args;
  const vector_walk_t *walk = core->at;
  const uint32_t row = walk->first_row + chunk->row;
  const uint32_t pitch = 4 * args->block;

  ring_wait_free(&core->tile_back, walk->tile);
  if (args->visible != 0) {
    const attention_unit_t *unit = &walk_place(walk)->unit;
    const uint64_t mask_row = unit->first_row + row;
    const uint32_t first_key = attention_first_key(problem, unit, chunk->block);
    data_copy_gm_to_ub(.gm = args->visible + mask_row * args->visible_pitch + first_key / 8,
                       .gm_pitch = args->visible_pitch, .ub = chunk->mask, .ub_pitch = MASK_PITCH, .rows = chunk->rows,
                       .row_bytes = ceil_div(chunk->cols, 8));
  }
  if (vector_hooks.load_mask != NULL) {
    vector_hooks.load_mask(core, chunk);
  }
  data_copy_gm_to_ub(.gm = attention_scores(problem, chunk->turn) + (uint64_t)row * pitch, .gm_pitch = pitch,
                     .ub = chunk->tile, .ub_pitch = chunk->pitch, .rows = chunk->rows, .row_bytes = 4 * chunk->cols);
  ring_set_full(&core->tile_full, walk->tile);
}

static void load_scores_stage(const vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  if (begins_part(core)) {
    // The cube core's stores of S_j come before our loads of it.
    cross_core_wait_flag(PIPE_MTE2, FLAG_S_READY);
  }
  if (walk->rows > 0) {
    const chunk_t chunk = chunk_at(core, walk);
    load_scores(core, &chunk);
  }
  if (!vector_hooks.order_frees_scores && last_chunk(core, walk) &&
      walk->turn.block + ATTENTION_SLOTS < core->problem->turns) {
    cross_core_set_flag(PIPE_MTE2, FLAG_S_FREE);
  }
  if (walk->rows == 0) {
    // Without rows nothing holds MTE3 back; MTE2 at least keeps pace with the cube core.  MTE3's own
    // flags come first.
    if (ran_out(core, walk)) {
      wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_P_STORED);
    }
    cross_core_set_flag(PIPE_MTE2, FLAG_P_READY);
  }
}

// Row values as they are before a unit's first turn.
static void reset_rows(uint32_t rows, uint32_t turn) {
  const uint32_t m = row_value(row_pair(ROW_M, turn - 1), 0);
  row_op(rows, .op = VOP_BROADCAST, .dst = m, by_scalar(F32_MINUS_INFINITY));
  row_op(rows, .op = VOP_BROADCAST, .dst = row_value(ROW_L, 0), by_scalar(F32_ZERO));
}

// The tile's columns, `width` at a time, into the fold's place.
static inline void fold_columns(const chunk_t *chunk, uint32_t fold, uint32_t width) {
  for (uint32_t col = width; col < chunk->cols; col += width) {
    const bool first = col == width;
    vector_op(.op = fold, .rows = chunk->rows, .cols = min_u32(width, chunk->cols - col), .dst = FOLD_BASE,
              .dst_pitch = 4 * width, .a = first ? chunk->tile : FOLD_BASE, .a_pitch = first ? chunk->pitch : 4 * width,
              .b = chunk->tile + 4 * col, .b_pitch = chunk->pitch);
  }
}

// Reduces each row of a chunk to one value.  A reduction costs several times an operation between tiles:
// the tile is folded to the width of a register first, by `fold`.
static inline void reduce_rows(const chunk_t *chunk, uint32_t fold, uint32_t reduce, uint32_t dst) {
  if (chunk->cols < 2 * FOLD_COLS) {
    tile_op(chunk, .op = reduce, .dst = dst, .a = chunk->tile);
    return;
  }
  fold_columns(chunk, fold, FOLD_COLS);
  vector_op(.op = reduce, .rows = chunk->rows, .cols = FOLD_COLS, .dst = dst, .a = FOLD_BASE, .a_pitch = FOLD_PITCH);
}

// Maxima, in any order: by two registers' width, if a tile has so few rows that there is room, and whole
// pairs of registers; that is fewer operations to start.
static inline void row_maxima(const chunk_t *chunk, uint32_t dst) {
  enum { WIDE = 2 * FOLD_COLS, WIDE_PITCH = 2 * FOLD_PITCH };
  if (!vector_hooks.wide_maxima || chunk->rows > SCORE_ROWS / 2 || chunk->cols < 2 * WIDE || chunk->cols % WIDE != 0) {
    reduce_rows(chunk, VOP_MAX, VOP_ROW_MAX, dst);
    return;
  }
  fold_columns(chunk, VOP_MAX, WIDE);
  vector_op(.op = VOP_MAX, .rows = chunk->rows, .cols = FOLD_COLS, .dst = FOLD_BASE, .dst_pitch = WIDE_PITCH,
            .a = FOLD_BASE, .a_pitch = WIDE_PITCH, .b = FOLD_BASE + FOLD_PITCH, .b_pitch = WIDE_PITCH);
  vector_op(.op = VOP_ROW_MAX, .rows = chunk->rows, .cols = FOLD_COLS, .dst = dst, .a = FOLD_BASE,
            .a_pitch = WIDE_PITCH);
}

// Sums of P, in the order that the kernel is built for (NUMERICS.md section 3).
static void row_sums(const chunk_t *chunk, uint32_t dst) {
#if ROW_SUM_TREE
  reduce_rows(chunk, VOP_ADD, VOP_ROW_TREE, dst);
#else
  tile_op(chunk, .op = VOP_ROW_SUM, .dst = dst, .a = chunk->tile);
#endif
}

// The chunk's m, and m made safe to subtract: 0 while a row is not live.
static void update_maximum(const chunk_t *chunk) {
  const uint32_t n = chunk->rows;
  const uint32_t previous = row_value(row_pair(ROW_M, chunk->turn - 1), chunk->row);
  const uint32_t m = row_value(row_pair(ROW_M, chunk->turn), chunk->row);
  const uint32_t live = row_value(ROW_BITS, 0);
  const uint32_t temp = row_value(ROW_TEMP, chunk->row);

  row_maxima(chunk, temp);
  row_op(n, .op = VOP_MAX, .dst = m, .a = temp, .b = previous);
  row_op(n, .op = VOP_CMP_GT, .dst = live, .a = m, by_scalar(F32_MINUS_INFINITY));
  row_op(n, .op = VOP_SELECT, .dst = row_value(ROW_SAFE, chunk->row), .a = m, by_scalar(F32_ZERO), .c = live);
}

// Scores to P = exp(S - m), in place, and its sums.
static void exponentiate(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  tile_update(chunk, .op = VOP_MUL, by_scalar(args->scale));
  if (args->visible != 0) {
    tile_update(chunk, .op = VOP_SELECT, by_scalar(F32_MINUS_INFINITY), .c = chunk->mask, .c_pitch = MASK_PITCH);
  }
  if (vector_hooks.mask != NULL) {
    vector_hooks.mask(core, chunk);
  }
  update_maximum(chunk);
  tile_update(chunk, .op = VOP_SUB, by_row(row_value(ROW_SAFE, chunk->row)));
  tile_update(chunk, .op = VOP_EXP);
  row_sums(chunk, row_value(ROW_SUM, chunk->row));
}

// P as BF16, in place, and to workspace p.
static void store_probabilities(const vector_core_t *core, const chunk_t *chunk) {
  const vector_walk_t *walk = core->at;
  const uint32_t pitch = 2 * core->problem->args.block;
  const uint64_t row = walk->first_row + chunk->row;

  tile_update(chunk, .op = VOP_CAST, .from = TYPE_F32, .to = element_type(core), .round = ROUND_NEAREST);
  ring_set_full(&core->tile_done, walk->tile);
  ring_wait_full(&core->tile_done, walk->tile);
  data_copy_ub_to_gm(.ub = chunk->tile, .ub_pitch = chunk->pitch,
                     .gm = attention_probabilities(core->problem, chunk->turn) + row * pitch, .gm_pitch = pitch,
                     .rows = chunk->rows, .row_bytes = 2 * chunk->cols, .op = GM_STORE);
  ring_set_free(&core->tile_back, walk->tile);
}

// M_up = exp(m_prev - m), the factor by which exp(-m) became smaller, and the new l.  A row that
// was not live has m_prev = -inf, so 0.
static void update_sums(uint32_t rows, uint32_t turn) {
  const uint32_t scale = row_value(row_turn(ROW_SCALE, turn), 0);
  const uint32_t l = row_value(ROW_L, 0);
  row_op(rows, .op = VOP_SUB, .dst = scale, .a = row_value(row_pair(ROW_M, turn - 1), 0), .b = row_value(ROW_SAFE, 0));
  row_op(rows, .op = VOP_EXP, .dst = scale, .a = scale);
  row_op(rows, .op = VOP_MUL, .dst = l, .a = l, .b = scale);
  row_op(rows, .op = VOP_ADD, .dst = l, .a = l, .b = row_value(ROW_SUM, 0));
}

// A split's m and l, for those who merge.
static void store_ml(vector_core_t *core) {
  const attention_problem_t *problem = core->problem;
  const vector_walk_t *walk = core->at;
  const uint32_t slot = ring_slot(&out_ring, core->out);
  ring_wait_free(&out_ring, core->out);
  row_op(walk->rows, .op = VOP_MUL, .dst = slot, .a = row_value(row_pair(ROW_M, walk->turn.block), 0),
         by_scalar(F32_ONE));
  row_op(walk->rows, .op = VOP_MUL, .dst = slot + ROW_VALUES_BYTES, .a = row_value(ROW_L, 0), by_scalar(F32_ONE));
  attention_store(core, 2, ROW_VALUES_BYTES, attention_split_ml(problem, walk_place(walk)->unit.index, walk->first_row),
                  4 * problem->group_rows, 4 * walk->rows, GM_STORE);
}

// A unit's m and l are final: what its O is to be divided by, once that is there.  The next unit's
// V1 may come before.
static void finish_rows(vector_core_t *core) {
  const bool split = core->problem->args.splits > 1;
  const uint32_t divisor = unit_divisor(core);
  if (vector_hooks.finish_rows != NULL) {
    vector_hooks.finish_rows(core);
  }
  core->kernel->divisor(core->at->rows, split, divisor);
  if (split) {
    store_ml(core);
  } else {
    attention_divide_by_one(core->at->rows, row_value(ROW_L, 0), divisor);
  }
}

static void use_scores(vector_core_t *core) {
  const attention_vector_kernel_t *kernel = core->kernel;
  const vector_walk_t *walk = core->at;
  const uint32_t turn = walk->turn.block;
  if (walk->row == 0 && walk_place(walk)->block == 0 && walk->rows > 0) {
    reset_rows(walk->rows, turn);
    if (kernel->start != NULL) {
      kernel->start(core);
    }
  }
  if (walk->rows > 0) {
    const chunk_t chunk = chunk_at(core, walk);
    ring_wait_full(&core->tile_full, walk->tile);
    exponentiate(core, &chunk);
    if (vector_hooks.weigh != NULL) {
      vector_hooks.weigh(core, &chunk);
    }
    if (kernel->weigh != NULL) {
      kernel->weigh(&chunk);
    }
    store_probabilities(core, &chunk);
    if (vector_hooks.ends_part != NULL && vector_hooks.ends_part(core)) {
      cross_core_set_flag(PIPE_MTE3, FLAG_P_READY);
    }
  }
  if (!last_chunk(core, walk)) {
    return;
  }
  if (walk->rows > 0) {
    cross_core_set_flag(PIPE_MTE3, FLAG_P_READY);
    if (last_block(walk) && runs_out(core, walk_place(walk)->unit.index)) {
      set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_P_STORED);
    }
    update_sums(walk->rows, turn);
  }
  if (kernel->after_scores != NULL) {
    kernel->after_scores(core);
  }
  if (last_block(walk) && walk->rows > 0) {
    finish_rows(core);
  }
}

#endif
