// A vector core's part, as the kernel that includes this file has it: it may fill in vector_hooks, and
// defines attention_vector with core_open and vector_run.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_VECTOR_IMPL_H
#define AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_VECTOR_IMPL_H

#include "kernels/attention/vector/attention_output.h"
#include "kernels/attention/vector/attention_scores.h"
#include "kernels/attention/vector/attention_vector_walk.h"
#include "lib/panic.h"

// ---- Where things go ----

uint64_t attention_o_row(const vector_core_t *core, uint32_t row) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t slot = walk_place(core->at)->ordinal % ATTENTION_SLOTS * core->problem->group_rows;
  return args->o + (uint64_t)(slot + core->at->first_row + row) * args->o_pitch;
}

void attention_store(vector_core_t *core, uint32_t rows, uint32_t ub_pitch, uint64_t gm, uint32_t gm_pitch,
                     uint32_t row_bytes, uint32_t op) {
  const uint32_t use = core->out++;
  ring_set_full(&out_ring, use);
  ring_wait_full(&out_ring, use);
  data_copy_ub_to_gm(.ub = ring_slot(&out_ring, use), .ub_pitch = ub_pitch, .gm = gm, .gm_pitch = gm_pitch,
                     .rows = rows, .row_bytes = row_bytes, .op = op);
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

// If l is 0, so is O: the row has seen no key.
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
    tile_update(chunk, .op = VOP_CAST, .from = TYPE_F32, .to = element_type(core), .round = ROUND_NEAREST);
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
static bool may_load(const vector_core_t *core, const vector_walk_t *load, const vector_walk_t *use) {
  if (!load->more || load->tile >= use->tile + core->tile_back.slots) {
    return false;
  }
  if (load->row > 0) {
    return true;
  }
  if (load->turn.stage == STAGE_SCORES) {
    const uint32_t turn = load->turn.block;
    const uint32_t needed = ran_out(core, load) ? turn : scores_needed(&core->problem->plan, turn);
    return use->scores >= needed;
  }
  if (vector_hooks.sum_output != NULL) {
    return use->scores > load->turn.block;  // T_j waits for P_j, and for nothing of V2
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

typedef struct core_sizes {
  uint8_t slots;   // for tiles
  uint32_t share;  // rows of a unit for each vector core, at most
} core_sizes_t;

static core_sizes_t core_sizes(const attention_problem_t *problem) {
  const uint8_t slots = (uint8_t)problem->tiling.halves;
  const uint32_t most = ceil_div(problem->group_rows, (uint32_t)hal_read(REG_SUB_COUNT));
  require(most <= CORE_ROWS, PANIC_MACHINE);
  return (core_sizes_t){slots, most};
}

static vector_core_t core_open(const attention_problem_t *problem, const attention_vector_kernel_t *kernel,
                               const core_sizes_t *sizes) {
  return (vector_core_t){.problem = problem,
                         .kernel = kernel,
                         .share = sizes->share,
                         .tile_full = {PIPE_MTE2, PIPE_V, 0, sizes->slots, 0, TILE_SLOT},
                         .tile_done = {PIPE_V, PIPE_MTE3, 0, sizes->slots, 0, TILE_SLOT},
                         .tile_back = {PIPE_MTE2, PIPE_MTE3, 0, sizes->slots, 0, TILE_SLOT}};
}

static inline void vector_run(const attention_problem_t *problem, vector_core_t *core) {
  if (vector_hooks.open != NULL) {
    vector_hooks.open(core);
  }
  vector_walk_t load = walk_start(core);
  vector_walk_t use = load;
  ring_open(&core->tile_back);
  ring_open(&out_ring);
  if (vector_hooks.start != NULL) {
    vector_hooks.start(core);
  }
  while (use.more) {
    if (vector_hooks.load != NULL) {
      vector_hooks.load(core);
    }
    while (may_load(core, &load, &use)) {
      push_load(core, &load);
      walk_next(core, &load);
    }
    if (vector_hooks.before != NULL) {
      vector_hooks.before(core, &use);
    }
    push_use(core, &use);
    if (vector_hooks.after != NULL) {
      vector_hooks.after(core, &use);
    }
    walk_next(core, &use);
  }
  if (!vector_hooks.never_splits && problem->args.splits > 1) {
    attention_merge(core, use.tile);
  }
  ring_drain(&core->tile_back);
  ring_drain(&out_ring);
  if (vector_hooks.close != NULL) {
    vector_hooks.close(core);
  }
}

#endif
