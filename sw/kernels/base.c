// Attention, the AMLA paper's Algorithm 1: the output is rescaled by the vector cores, in UB.
//
//   V2(j)  vector  O = O * M_up + T_j,  after the last block out = O / l
//
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>

#include "hal/hal.h"
#include "kernels/attention_cube.h"
#include "kernels/attention_problem.h"
#include "kernels/attention_vector.h"

enum { EVENT_O_STORED = 0 };  // MTE3 -> MTE2: O of the block before is in global memory

void cube_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem);
  const attention_output_t output = {.gm = problem.args.t,
                                     .slots = ATTENTION_SLOTS,
                                     .op = GM_STORE,
                                     .each_flag = FLAG_T_READY,
                                     .last_flag = FLAG_T_READY};
  attention_cube(&problem, &output);
}

static uint32_t t_tile(const chunk_t *chunk) { return chunk->tile + IN_TILE / 2; }

// T_j and, unless it is the first block, O.
static void load(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t slot_row = chunk->block % ATTENTION_SLOTS * args->rows + core->first_row;

  ring_wait_free(&in_ring, core->in);
  data_copy_gm_to_ub(.gm = args->t + (uint64_t)(slot_row + chunk->row) * args->o_pitch,
                     .gm_pitch = args->o_pitch, .ub = t_tile(chunk), .ub_pitch = chunk->pitch,
                     .rows = chunk->rows, .row_bytes = 4 * args->dv);
  if (chunk->block > 0) {
    data_copy_gm_to_ub(.gm = attention_o_row(core, chunk->row), .gm_pitch = args->o_pitch,
                       .ub = chunk->tile, .ub_pitch = chunk->pitch, .rows = chunk->rows,
                       .row_bytes = 4 * args->dv);
  }
  ring_set_full(&in_ring, core->in);
}

// O * M_up + T to dst.
static void accumulate(const chunk_t *chunk, uint32_t dst) {
  const uint32_t o = chunk->tile;
  const uint32_t pitch = chunk->pitch;
  const uint32_t scale = row_value(row_pair(ROW_SCALE, chunk->block), chunk->row);

  if (chunk->block == 0) {
    // +0 and not just T: -0 in T becomes +0.
    tile_op(chunk, .op = VOP_BROADCAST, .dst = o, .dst_pitch = pitch, by_scalar(F32_ZERO));
  } else {
    tile_op(chunk, .op = VOP_MUL, .dst = o, .dst_pitch = pitch, .a = o, .b = scale,
            .b_kind = OPERAND_ROW);
  }
  tile_op(chunk, .op = VOP_ADD, .dst = dst, .dst_pitch = pitch, .a = o, .b = t_tile(chunk),
          .b_pitch = pitch);
}

// O of a block that is not the last: back to global memory.
static void store(vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  ring_wait_free(&out_ring, core->out);
  accumulate(chunk, ring_slot(&out_ring, core->out));
  ring_set_free(&in_ring, core->in);
  core->in++;
  attention_store(core, chunk->rows, chunk->pitch, attention_o_row(core, chunk->row), args->o_pitch,
                  4 * args->dv, GM_STORE);
}

// V2
static void update_output(vector_core_t *core, uint32_t block) {
  const bool last = block + 1 == core->problem->blocks;
  // The cube core's stores of T_j come before our loads of it.
  cross_core_wait_flag(PIPE_MTE2, FLAG_T_READY);
  if (block > 0 && core->rows > 0) {
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_O_STORED);
  }
  for (uint32_t row = 0; row < core->rows; row += OUTPUT_ROWS) {
    const chunk_t chunk = attention_output_chunk(core, block, row);
    load(core, &chunk);
    ring_wait_full(&in_ring, core->in);
    if (last) {
      accumulate(&chunk, chunk.tile);
      attention_finish(core, &chunk, ROW_L);
    } else {
      store(core, &chunk);
    }
  }
  if (!last && core->rows > 0) {
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_O_STORED);
  }
}

// V1 runs one block ahead of V2, which has to wait for the cube core in between.
void vector_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem);
  vector_core_t core = attention_vector_core(&problem);
  attention_vector_open();
  for (core.entry = problem.first_entry; core.entry < problem.args.batch;
       core.entry += problem.entry_step) {
    attention_reset_rows(&core);
    attention_softmax(&core, 0, NULL);
    for (uint32_t block = 1; block < problem.blocks; block++) {
      attention_softmax(&core, block, NULL);
      update_output(&core, block - 1);
    }
    update_output(&core, problem.blocks - 1);
  }
  attention_vector_drain();
}
