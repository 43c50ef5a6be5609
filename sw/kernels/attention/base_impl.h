// Attention, the AMLA paper's Algorithm 1, as the kernel that includes this file has it: the output is rescaled by the
// vector cores, in UB.
//
//   V2(j)  vector  O = O * M_up + T_j,  after the last block out = O / l
//
// Included behind a layout of UB.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_BASE_IMPL_H
#define AMALGAM_SW_KERNELS_ATTENTION_BASE_IMPL_H

#include <stddef.h>

#include "hal/hal.h"
#include "kernels/attention/attention_problem.h"
#include "kernels/attention/cube/attention_cube.h"
#include "kernels/attention/vector/attention_vector.h"

static inline attention_output_t base_output(const attention_problem_t *problem) {
  return (attention_output_t){
      .gm = problem->args.t, .op = GM_STORE, .each_flag = FLAG_T_READY, .last_flag = FLAG_T_READY};
}

static uint32_t t_tile(const chunk_t *chunk) { return chunk->tile + TILE_BYTES / 2; }

// T_j and, unless it is the first block, O.
static void load_output(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t slot = chunk->turn % ATTENTION_SLOTS * core->problem->group_rows;
  const uint64_t row = slot + core->at->first_row + chunk->row;

  data_copy_gm_to_ub(.gm = args->t + row * args->o_pitch, .gm_pitch = args->o_pitch, .ub = t_tile(chunk),
                     .ub_pitch = chunk->pitch, .rows = chunk->rows, .row_bytes = 4 * args->dv);
  if (chunk->block > 0) {
    data_copy_gm_to_ub(.gm = attention_o_row(core, chunk->row), .gm_pitch = args->o_pitch, .ub = chunk->tile,
                       .ub_pitch = chunk->pitch, .rows = chunk->rows, .row_bytes = 4 * args->dv);
  }
}

// O * M_up + T, in place of O.
static void accumulate(const chunk_t *chunk) {
  const uint32_t scale = row_value(row_pair(ROW_SCALE, chunk->turn), chunk->row);
  if (chunk->block == 0) {
    // +0 and not just T: -0 in T becomes +0.
    tile_update(chunk, .op = VOP_BROADCAST, by_scalar(F32_ZERO));
  } else {
    tile_update(chunk, .op = VOP_MUL, by_row(scale));
  }
  tile_update(chunk, .op = VOP_ADD, .b = t_tile(chunk), .b_pitch = chunk->pitch);
}

// l; the O of a split is as it should be.
static void divisor(uint32_t n, bool split, uint32_t divisor) {
  if (!split) {
    row_op(n, .op = VOP_MUL, .dst = divisor, .a = row_value(ROW_L, 0), by_scalar(F32_ONE));
  }
}

static const attention_vector_kernel_t base_vector = {.output_rows = SCORE_ROWS / 2,
                                                      .output_flag = FLAG_T_READY,
                                                      .load_output = load_output,
                                                      .accumulate = accumulate,
                                                      .divisor = divisor};

#endif
