// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention_vector.h"

#include <stddef.h>

#include "kernels/attention/attention_vector_walk.h"
#include "kernels/fp8/fp8.h"
#include "lib/panic.h"

// ---- Where things go ----

uint64_t attention_o_row(const vector_core_t *core, uint32_t row) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t slot = walk_place(core->at)->ordinal % ATTENTION_SLOTS * core->problem->group_rows;
  return args->o + (uint64_t)(slot + core->at->first_row + row) * args->o_pitch;
}

void attention_store(vector_core_t *core, uint32_t rows, uint32_t ub_pitch, uint64_t gm,
                     uint32_t gm_pitch, uint32_t row_bytes, uint32_t op) {
  const uint32_t use = core->out++;
  ring_set_full(&out_ring, use);
  ring_wait_full(&out_ring, use);
  data_copy_ub_to_gm(.ub = ring_slot(&out_ring, use), .ub_pitch = ub_pitch, .gm = gm,
                     .gm_pitch = gm_pitch, .rows = rows, .row_bytes = row_bytes, .op = op);
  ring_set_free(&out_ring, use);
}

uint64_t attention_split_ml(const attention_problem_t *problem, uint32_t unit, uint32_t row) {
  return problem->args.split_ml + 4 * ((uint64_t)unit * 2 * problem->group_rows + row);
}

uint64_t attention_split_o(const attention_problem_t *problem, uint32_t unit, uint32_t row) {
  const uint64_t rows_before = (uint64_t)unit * problem->group_rows + row;
  return problem->args.split_o + rows_before * problem->args.o_pitch;
}

uint64_t attention_out_row(const vector_core_t *core, const attention_unit_t *unit, uint32_t row) {
  const attention_args_t *args = &core->problem->args;
  const uint64_t rows_before = (uint64_t)unit->entry * args->rows + unit->first_row + row;
  return args->out + rows_before * attention_out_bytes(core);
}

uint32_t attention_out_bytes(const vector_core_t *core) {
  const attention_args_t *args = &core->problem->args;
  return (args->out_f32 ? 4 : 2) * args->dv;
}

// ---- V1 ----

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
                       .gm_pitch = args->visible_pitch, .ub = chunk->mask, .ub_pitch = MASK_PITCH,
                       .rows = chunk->rows, .row_bytes = ceil_div(chunk->cols, 8));
  }
  if (ATTENTION_FP8) {
    fp8_load_masks(core, chunk);
  }
  data_copy_gm_to_ub(.gm = attention_scores(problem, chunk->turn) + (uint64_t)row * pitch,
                     .gm_pitch = pitch, .ub = chunk->tile, .ub_pitch = chunk->pitch,
                     .rows = chunk->rows, .row_bytes = 4 * chunk->cols);
  ring_set_full(&core->tile_full, walk->tile);
}

static void load_scores_stage(const vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  if (walk->row == 0) {
    // The cube core's stores of S_j come before our loads of it.
    cross_core_wait_flag(PIPE_MTE2, FLAG_S_READY);
  }
  if (walk->rows > 0) {
    const chunk_t chunk = chunk_at(core, walk);
    load_scores(core, &chunk);
  }
  if (last_chunk(core, walk) && walk->turn.block + ATTENTION_SLOTS < core->problem->turns) {
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

// The chunk's m, and m made safe to subtract: 0 while a row is not live.
// The row maxima of a chunk.  A reduction costs several times an operation between tiles: the tile is
// folded to the width of a register first.
static void row_maxima(const chunk_t *chunk, uint32_t dst) {
  if (chunk->cols < 2 * FOLD_COLS) {
    tile_op(chunk, .op = VOP_ROW_MAX, .dst = dst, .a = chunk->tile);
    return;
  }
  for (uint32_t col = FOLD_COLS; col < chunk->cols; col += FOLD_COLS) {
    const bool first = col == FOLD_COLS;
    vector_op(.op = VOP_MAX, .rows = chunk->rows, .cols = min_u32(FOLD_COLS, chunk->cols - col),
              .dst = FOLD_BASE, .dst_pitch = FOLD_PITCH, .a = first ? chunk->tile : FOLD_BASE,
              .a_pitch = first ? chunk->pitch : FOLD_PITCH, .b = chunk->tile + 4 * col,
              .b_pitch = chunk->pitch);
  }
  vector_op(.op = VOP_ROW_MAX, .rows = chunk->rows, .cols = FOLD_COLS, .dst = dst, .a = FOLD_BASE,
            .a_pitch = FOLD_PITCH);
}

static void update_maximum(const chunk_t *chunk) {
  const uint32_t n = chunk->rows;
  const uint32_t previous = row_value(row_pair(ROW_M, chunk->turn - 1), chunk->row);
  const uint32_t m = row_value(row_pair(ROW_M, chunk->turn), chunk->row);
  const uint32_t live = row_value(ROW_BITS, 0);
  const uint32_t temp = row_value(ROW_TEMP, chunk->row);

  row_maxima(chunk, temp);
  row_op(n, .op = VOP_MAX, .dst = m, .a = temp, .b = previous);
  row_op(n, .op = VOP_CMP_GT, .dst = live, .a = m, by_scalar(F32_MINUS_INFINITY));
  row_op(n, .op = VOP_SELECT, .dst = row_value(ROW_SAFE, chunk->row), .a = m, by_scalar(F32_ZERO),
         .c = live);
}

// Scores to P = exp(S - m), in place, and its sums.
static void exponentiate(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  tile_update(chunk, .op = VOP_MUL, by_scalar(args->scale));
  if (args->visible != 0) {
    tile_update(chunk, .op = VOP_SELECT, by_scalar(F32_MINUS_INFINITY), .c = chunk->mask,
                .c_pitch = MASK_PITCH);
  }
  if (ATTENTION_FP8) {
    fp8_mask(core, chunk);
  }
  update_maximum(chunk);
  tile_update(chunk, .op = VOP_SUB, by_row(row_value(ROW_SAFE, chunk->row)));
  tile_update(chunk, .op = VOP_EXP);
  tile_op(chunk, .op = VOP_ROW_SUM, .dst = row_value(ROW_SUM, chunk->row), .a = chunk->tile);
}

// P as BF16, in place, and to workspace p.
static void store_probabilities(const vector_core_t *core, const chunk_t *chunk) {
  const vector_walk_t *walk = core->at;
  const uint32_t pitch = 2 * core->problem->args.block;
  const uint64_t row = walk->first_row + chunk->row;

  tile_update(chunk, .op = VOP_CAST, .from = TYPE_F32, .to = TYPE_BF16, .round = ROUND_NEAREST);
  ring_set_full(&core->tile_done, walk->tile);
  ring_wait_full(&core->tile_done, walk->tile);
  data_copy_ub_to_gm(.ub = chunk->tile, .ub_pitch = chunk->pitch,
                     .gm = attention_probabilities(core->problem, chunk->turn) + row * pitch,
                     .gm_pitch = pitch, .rows = chunk->rows, .row_bytes = 2 * chunk->cols,
                     .op = GM_STORE);
  ring_set_free(&core->tile_back, walk->tile);
}

// How much smaller exp(-m) became, M_up = exp(m_prev - m), and l brought up to date.  A row that
// was not live has m_prev = -inf, so 0.
static void update_sums(uint32_t rows, uint32_t turn) {
  const uint32_t scale = row_value(row_pair(ROW_SCALE, turn), 0);
  const uint32_t l = row_value(ROW_L, 0);
  row_op(rows, .op = VOP_SUB, .dst = scale, .a = row_value(row_pair(ROW_M, turn - 1), 0),
         .b = row_value(ROW_SAFE, 0));
  row_op(rows, .op = VOP_EXP, .dst = scale, .a = scale);
  row_op(rows, .op = VOP_MUL, .dst = l, .a = l, .b = scale);
  row_op(rows, .op = VOP_ADD, .dst = l, .a = l, .b = row_value(ROW_SUM, 0));
}

// Where l is 0 so is O: the row has seen no key.
void attention_divide_by_one(uint32_t n, uint32_t sums, uint32_t divisor) {
  const uint32_t one = row_value(ROW_TEMP, 0);
  const uint32_t none = row_value(ROW_BITS, 0);
  row_op(n, .op = VOP_BROADCAST, .dst = one, by_scalar(F32_ONE));
  row_op(n, .op = VOP_CMP_EQ, .dst = none, .a = sums, by_scalar(F32_ZERO));
  row_op(n, .op = VOP_SELECT, .dst = divisor, .a = one, .b = divisor, .c = none);
}

void attention_divide(const vector_core_t *core, const chunk_t *chunk, uint32_t divisor) {
  tile_update(chunk, .op = VOP_DIV, by_row(divisor + 4 * chunk->row));
  if (!core->problem->args.out_f32) {
    tile_update(chunk, .op = VOP_CAST, .from = TYPE_F32, .to = TYPE_BF16, .round = ROUND_NEAREST);
  }
}

// A split's m and l, for those who merge.
static void store_ml(vector_core_t *core) {
  const attention_problem_t *problem = core->problem;
  const vector_walk_t *walk = core->at;
  const uint32_t slot = ring_slot(&out_ring, core->out);
  ring_wait_free(&out_ring, core->out);
  row_op(walk->rows, .op = VOP_MUL, .dst = slot,
         .a = row_value(row_pair(ROW_M, walk->turn.block), 0), by_scalar(F32_ONE));
  row_op(walk->rows, .op = VOP_MUL, .dst = slot + ROW_VALUES_BYTES, .a = row_value(ROW_L, 0),
         by_scalar(F32_ONE));
  attention_store(core, 2, ROW_VALUES_BYTES,
                  attention_split_ml(problem, walk_place(walk)->unit.index, walk->first_row),
                  4 * problem->group_rows, 4 * walk->rows, GM_STORE);
}

// Of the unit at hand.
static uint32_t unit_divisor(const vector_core_t *core) {
  return row_value(row_pair(ROW_DIVISOR, walk_place(core->at)->ordinal), 0);
}

// A unit's m and l are final: what its O is to be divided by, once that is there.  The next unit's
// V1 may come before.
static void finish_rows(vector_core_t *core) {
  const bool split = core->problem->args.splits > 1;
  const uint32_t divisor = unit_divisor(core);
  if (ATTENTION_FP8) {
    fp8_finish_rows(core);
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
    if (ATTENTION_FP8) {
      fp8_weigh_sink(core, &chunk);
    }
    if (kernel->weigh != NULL) {
      kernel->weigh(&chunk);
    }
    store_probabilities(core, &chunk);
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

// ---- V2 and the output ----

static void load_output_stage(const vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  if (walk->row == 0) {
    // The cube core's stores come before our loads of them.
    cross_core_wait_flag(PIPE_MTE2, core->kernel->output_flag);
  }
  if (walk->rows == 0) {
    return;
  }
  if (walk->row == 0 && core->problem->output_every_block && walk_place(walk)->block > 0) {
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_O_STORED);
  }
  const chunk_t chunk = chunk_at(core, walk);
  ring_wait_free(&core->tile_back, walk->tile);
  core->kernel->load_output(core, &chunk);
  ring_set_full(&core->tile_full, walk->tile);
}

// Where the chunk goes, and what of it.
typedef struct target {
  uint64_t gm;
  uint32_t pitch, row_bytes;
} target_t;

// O as it is, O of a split, or the result.
static target_t output_target(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  const vector_walk_t *walk = core->at;
  const uint32_t row = walk->first_row + chunk->row;
  const attention_unit_t *unit = &walk_place(walk)->unit;
  if (!last_block(walk)) {
    return (target_t){attention_o_row(core, chunk->row), args->o_pitch, 4 * args->dv};
  }
  if (args->splits > 1) {
    return (target_t){attention_split_o(core->problem, unit->index, row), args->o_pitch,
                      4 * args->dv};
  }
  const uint32_t bytes = attention_out_bytes(core);
  return (target_t){attention_out_row(core, unit, row), bytes, bytes};
}

static void make_output(const vector_core_t *core, const chunk_t *chunk) {
  if (core->kernel->accumulate != NULL) {
    core->kernel->accumulate(chunk);
  }
  if (!last_block(core->at)) {
    return;
  }
  if (core->problem->args.splits == 1) {
    attention_divide(core, chunk, unit_divisor(core));
  } else if (core->kernel->split_divides) {
    tile_update(chunk, .op = VOP_DIV, by_row(unit_divisor(core) + 4 * chunk->row));
  }
}

static void use_output(vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  if (walk->rows == 0) {
    return;
  }
  const chunk_t chunk = chunk_at(core, walk);
  const target_t target = output_target(core, &chunk);
  ring_wait_full(&core->tile_full, walk->tile);
  make_output(core, &chunk);
  ring_set_full(&core->tile_done, walk->tile);
  ring_wait_full(&core->tile_done, walk->tile);
  data_copy_ub_to_gm(.ub = chunk.tile, .ub_pitch = chunk.pitch, .gm = target.gm,
                     .gm_pitch = target.pitch, .rows = chunk.rows, .row_bytes = target.row_bytes,
                     .op = GM_STORE);
  ring_set_free(&core->tile_back, walk->tile);
  if (last_chunk(core, walk) && core->problem->output_every_block && !last_block(walk)) {
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_O_STORED);
  }
}

// ---- The whole ----

// V1(j)'s scores need the C2 stages before C1(j), and these their P, of this core, too.  One more,
// as the cube core may wait for the next P before it has pushed all of C1(j).
static uint32_t scores_needed(const preload_plan_t *plan, uint32_t turn) {
  const uint32_t lag = plan->cube_lag[STAGE_OUTPUT] - plan->cube_lag[STAGE_SCORES];
  return min_u32(turn, turn + 1 > lag ? turn + 1 - lag : 1);
}

// May the next load be pushed?  Only when everything of this core is pushed that its waits are for,
// or a full queue would hold up this program, and with it that.
static bool may_load(const vector_core_t *core, const vector_walk_t *load,
                     const vector_walk_t *use) {
  if (!load->more || load->tile >= use->tile + core->tile_back.slots) {
    return false;
  }
  if (load->row > 0) {
    return true;
  }
  if (load->turn.stage == STAGE_SCORES) {
    const uint32_t turn = load->turn.block;
    const uint32_t needed =
        ran_out(core, load) ? turn : scores_needed(&core->problem->plan, turn);
    return use->scores >= needed;
  }
  return use->scores == load->scores && use->outputs == load->outputs;
}

static void push_load(vector_core_t *core, const vector_walk_t *walk) {
  core->at = walk;
  if (walk->turn.stage == STAGE_SCORES) {
    load_scores_stage(core);
  } else {
    load_output_stage(core);
  }
}

static void push_use(vector_core_t *core, const vector_walk_t *walk) {
  core->at = walk;
  if (walk->turn.stage == STAGE_SCORES) {
    use_scores(core);
  } else {
    use_output(core);
  }
}

static vector_core_t core_open(const attention_problem_t *problem,
                               const attention_vector_kernel_t *kernel) {
  const uint8_t slots = (uint8_t)problem->tiling.halves;
  const uint32_t most = ceil_div(problem->group_rows, (uint32_t)hal_read(REG_SUB_COUNT));
  require(most <= MAX_CORE_ROWS, PANIC_MACHINE);
  return (vector_core_t){.problem = problem,
                         .kernel = kernel,
                         .share = most,
                         .tile_full = {PIPE_MTE2, PIPE_V, 0, slots, 0, TILE_SLOT},
                         .tile_done = {PIPE_V, PIPE_MTE3, 0, slots, 0, TILE_SLOT},
                         .tile_back = {PIPE_MTE2, PIPE_MTE3, 0, slots, 0, TILE_SLOT}};
}

void attention_vector(const attention_problem_t *problem, const attention_vector_kernel_t *kernel) {
  vector_core_t core = core_open(problem, kernel);
  if (ATTENTION_FP8) {
    fp8_keys_open(&core);
  }
  vector_walk_t load = walk_start(&core);
  vector_walk_t use = load;
  ring_open(&core.tile_back);
  ring_open(&out_ring);
  if (ATTENTION_FP8) {
    fp8_keys_start(&core);
  }
  while (use.more) {
    if (ATTENTION_FP8) {
      fp8_keys_load(&core);
    }
    while (may_load(&core, &load, &use)) {
      push_load(&core, &load);
      walk_next(&core, &load);
    }
    if (ATTENTION_FP8) {
      fp8_keys_before(&core, &use);
    }
    push_use(&core, &use);
    if (ATTENTION_FP8) {
      fp8_keys_after(&core, &use);
    }
    walk_next(&core, &use);
  }
  if (!ATTENTION_FP8 && problem->args.splits > 1) {
    attention_merge(&core, use.tile);
  }
  ring_drain(&core.tile_back);
  ring_drain(&out_ring);
  if (ATTENTION_FP8) {
    fp8_keys_close(&core);
  }
}
