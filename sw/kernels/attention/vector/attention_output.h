// Private to a vector core's parts: V2, and the way of O out of the core.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_OUTPUT_H
#define AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_OUTPUT_H

#include "kernels/attention/vector/attention_vector_walk.h"

static void load_output_stage(const vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  if (begins_part(core)) {
    // The cube core's stores come before our loads of them.
    cross_core_wait_flag(PIPE_MTE2, core->kernel->output_flag);
  }
  if (walk->rows == 0) {
    return;
  }
  if (vector_hooks.sum_output == NULL && walk->row == 0 && core->problem->output_every_block &&
      walk_place(walk)->block > 0) {
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_O_STORED);
  }
  const chunk_t chunk = chunk_at(core, walk);
  ring_wait_free(&core->tile_back, walk->tile);
  core->kernel->load_output(core, &chunk);
  ring_set_full(&core->tile_full, walk->tile);
}

// The destination of a chunk, and the part of it that goes there.
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
    return (target_t){attention_split_o(core->problem, unit->index, row), args->o_pitch, 4 * args->dv};
  }
  const uint32_t bytes = attention_out_bytes(core);
  return (target_t){attention_out_row(core, unit, row), bytes, bytes};
}

static void make_output(const vector_core_t *core, const chunk_t *chunk) {
  if (vector_hooks.sum_output != NULL) {
    vector_hooks.sum_output(core, chunk);
  } else if (core->kernel->accumulate != NULL) {
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
  if (vector_hooks.sum_output == NULL || last_block(walk)) {
    data_copy_ub_to_gm(.ub = chunk.tile, .ub_pitch = chunk.pitch, .gm = target.gm, .gm_pitch = target.pitch,
                       .rows = chunk.rows, .row_bytes = target.row_bytes, .op = GM_STORE);
  }
  ring_set_free(&core->tile_back, walk->tile);
  if (vector_hooks.sum_output == NULL && last_chunk(core, walk) && core->problem->output_every_block &&
      !last_block(walk)) {
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_O_STORED);
  }
}

#endif
