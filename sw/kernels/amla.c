// Attention, the AMLA paper's Algorithm 2 (with line 9 as c = S16 / S32): the output stays in
// global memory.  O is kept as O * 2^n / r and rescaled by adding integers to its bits; the cube
// core adds P_j V_j to it.
//
//   order on O:  zeros, C2(0), rescale(1), C2(1), rescale(2), C2(2), ...
//
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "hal/hal.h"
#include "kernels/attention_cube.h"
#include "kernels/attention_problem.h"
#include "kernels/attention_vector.h"

// Row values; x2 as in enum row_values.
enum {
  ROW_N = ROW_KERNEL,   // x2: rint(-m / ln 2)
  ROW_C = ROW_N + 2,    // x2: S16 / S32
  ROW_S32 = ROW_C + 2,  // exp(n ln 2 + m) = 1 / r, in [1/sqrt 2, sqrt 2]
  ROW_S16,              // the same, rounded to BF16
  ROW_BF16,             // BF16 on its way to ROW_S16
  ROW_STEP,             // what to add to the bits of O, as FP32
  ROW_STEP_INT,         // as int32
  ROW_DIVISOR,          // l * S16
  ROW_AMLA_END
};
_Static_assert((int)ROW_AMLA_END <= (int)ROW_VALUES_END, "row values do not fit in UB");

enum amla_bits {
  F32_MINUS_LOG2E = (int)0xbfb8aa3b,
  F32_LN2_HIGH = 0x3f318000,      // 0.693359375
  F32_LN2_LOW = (int)0xb95e8083,  // -2.12194440e-4
  F32_MINUS_1 = (int)0xbf800000,
  F32_1_5 = 0x3fc00000,
  F32_MINUS_30 = (int)0xc1f00000,
  F32_1E_6 = 0x358637bd,
  F32_2_POW_23 = 0x4b000000,
};

// O must be at this block's scale before the block's product is added.  (Block 0 adds to zeros,
// which were written before P_0.)
static void before_add(uint32_t block) {
  if (block > 0) {
    cross_core_wait_flag(PIPE_FIX, FLAG_O_RESCALED);
  }
}

void cube_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem);
  const attention_output_t output = {.gm = problem.args.o,
                                     .slots = 1,
                                     .op = GM_ADD_F32,
                                     .before = before_add,
                                     .each_flag = FLAG_O_ADDED,
                                     .last_flag = FLAG_O_COMPLETE};
  attention_cube(&problem, &output);
}

// n, S32, S16, c of the block's m.
static void split_maximum(const chunk_t *chunk) {
  const uint32_t count = chunk->rows;
  const uint32_t m = row_value(ROW_SAFE, chunk->row);
  const uint32_t n = row_value(row_pair(ROW_N, chunk->block), chunk->row);
  const uint32_t c = row_value(row_pair(ROW_C, chunk->block), chunk->row);
  const uint32_t s32 = row_value(ROW_S32, chunk->row);
  const uint32_t s16 = row_value(ROW_S16, chunk->row);
  const uint32_t temp = row_value(ROW_TEMP, chunk->row);
  const uint32_t bf16 = row_value(ROW_BF16, chunk->row);

  row_op(count, .op = VOP_MUL, .dst = n, .a = m, by_scalar(F32_MINUS_LOG2E));
  row_op(count, .op = VOP_CAST, .dst = n, .a = n, .from = TYPE_F32, .to = TYPE_F32,
         .round = ROUND_NEAREST);
  row_op(count, .op = VOP_FMA, .dst = temp, .a = n, by_scalar(F32_LN2_HIGH), .c = m);
  row_op(count, .op = VOP_FMA, .dst = s32, .a = n, by_scalar(F32_LN2_LOW), .c = temp);
  row_op(count, .op = VOP_EXP, .dst = s32, .a = s32);
  row_op(count, .op = VOP_CAST, .dst = bf16, .a = s32, .from = TYPE_F32, .to = TYPE_BF16,
         .round = ROUND_NEAREST);
  row_op(count, .op = VOP_CAST, .dst = s16, .a = bf16, .from = TYPE_BF16, .to = TYPE_F32,
         .round = ROUND_NEAREST);
  row_op(count, .op = VOP_DIV, .dst = c, .a = s16, .b = s32);
}

// N as FP32: (max(n - n_prev, -30) + 1.5 (c / c_prev - 1) + 1e-6) * 2^23; 0 if the row was not
// live before.
static void find_step(const chunk_t *chunk) {
  const uint32_t count = chunk->rows;
  const uint32_t before = chunk->block - 1;
  const uint32_t n = row_value(row_pair(ROW_N, chunk->block), chunk->row);
  const uint32_t n_before = row_value(row_pair(ROW_N, before), chunk->row);
  const uint32_t c = row_value(row_pair(ROW_C, chunk->block), chunk->row);
  const uint32_t c_before = row_value(row_pair(ROW_C, before), chunk->row);
  const uint32_t step = row_value(ROW_STEP, chunk->row);
  const uint32_t eps = row_value(ROW_TEMP, chunk->row);

  row_op(count, .op = VOP_DIV, .dst = eps, .a = c, .b = c_before);
  row_op(count, .op = VOP_ADD, .dst = eps, .a = eps, by_scalar(F32_MINUS_1));
  row_op(count, .op = VOP_MUL, .dst = eps, .a = eps, by_scalar(F32_1_5));
  row_op(count, .op = VOP_SUB, .dst = step, .a = n, .b = n_before);
  row_op(count, .op = VOP_MAX, .dst = step, .a = step, by_scalar(F32_MINUS_30));
  row_op(count, .op = VOP_ADD, .dst = step, .a = step, .b = eps);
  row_op(count, .op = VOP_ADD, .dst = step, .a = step, by_scalar(F32_1E_6));
  row_op(count, .op = VOP_MUL, .dst = step, .a = step, by_scalar(F32_2_POW_23));
  row_op(count, .op = VOP_SELECT, .dst = step, .a = step, by_scalar(F32_ZERO),
         .c = row_live(chunk->row, before));
}

static void weigh(const vector_core_t *core, const chunk_t *chunk) {
  (void)core;
  split_maximum(chunk);
  if (chunk->block > 0) {
    find_step(chunk);
  }
  tile_op(chunk, .op = VOP_MUL, .dst = chunk->tile, .dst_pitch = chunk->pitch, .a = chunk->tile,
          .b = row_value(ROW_S16, chunk->row), .b_kind = OPERAND_ROW);
}

// O = +0, the C2 of every block adds to it.  FLAG_P_READY of block 0, which follows in MTE3, lets
// the cube core's adds come after.
static void zero_output(vector_core_t *core) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t pitch = round_up(4 * args->dv, 32);
  for (uint32_t row = 0; row < core->rows; row += OUTPUT_ROWS) {
    const uint32_t rows = min_u32(OUTPUT_ROWS, core->rows - row);
    ring_wait_free(&out_ring, core->out);
    vector_op(.op = VOP_BROADCAST, .rows = rows, .cols = args->dv,
              .dst = ring_slot(&out_ring, core->out), .dst_pitch = pitch, by_scalar(F32_ZERO));
    attention_store(core, rows, pitch, attention_o_row(core, row), args->o_pitch, 4 * args->dv,
                    GM_STORE);
  }
}

// O from the scale of the block before to this block's: an integer for each element, as an atomic
// add on Ascend has it, or one for each row, which the unit at the memory walks.
static void rescale(vector_core_t *core) {
  const attention_args_t *args = &core->problem->args;
  const bool by_row = args->rescale == RESCALE_ROW;
  const uint32_t step = by_row ? MAX_CORE_ROWS : OUTPUT_ROWS;
  const uint32_t pitch = round_up(4 * args->dv, 32);

  // C2 of the block before has been added.
  cross_core_wait_flag(PIPE_MTE3, FLAG_O_ADDED);
  for (uint32_t row = 0; row < core->rows; row += step) {
    const uint32_t rows = min_u32(step, core->rows - row);
    const uint32_t slot = ring_slot(&out_ring, core->out);
    const uint32_t integers = by_row ? slot : row_value(ROW_STEP_INT, row);
    ring_wait_free(&out_ring, core->out);
    row_op(rows, .op = VOP_CAST, .dst = integers, .a = row_value(ROW_STEP, row), .from = TYPE_F32,
           .to = TYPE_S32, .round = ROUND_TRUNC);
    if (!by_row) {
      vector_op(.op = VOP_BROADCAST, .rows = rows, .cols = args->dv, .dst = slot,
                .dst_pitch = pitch, .b = integers, .b_kind = OPERAND_ROW);
    }
    attention_store(core, rows, pitch, attention_o_row(core, row), args->o_pitch, 4 * args->dv,
                    by_row ? GM_RESCALE : GM_ADD_S32);
  }
  cross_core_set_flag(PIPE_MTE3, FLAG_O_RESCALED);
}

// out = O / (l * S16)
static void finish(vector_core_t *core) {
  const attention_args_t *args = &core->problem->args;
  // C2 of the last block has been added.
  cross_core_wait_flag(PIPE_MTE2, FLAG_O_COMPLETE);
  if (core->rows > 0) {
    row_op(core->rows, .op = VOP_MUL, .dst = row_value(ROW_DIVISOR, 0), .a = row_value(ROW_L, 0),
           .b = row_value(ROW_S16, 0));
  }
  for (uint32_t row = 0; row < core->rows; row += OUTPUT_ROWS) {
    const chunk_t chunk = attention_output_chunk(core, core->problem->blocks, row);
    ring_wait_free(&in_ring, core->in);
    data_copy_gm_to_ub(.gm = attention_o_row(core, row), .gm_pitch = args->o_pitch,
                       .ub = chunk.tile, .ub_pitch = chunk.pitch, .rows = chunk.rows,
                       .row_bytes = 4 * args->dv);
    ring_set_full(&in_ring, core->in);
    ring_wait_full(&in_ring, core->in);
    attention_finish(core, &chunk, ROW_DIVISOR);
  }
}

void vector_main(void) {
  attention_problem_t problem;
  attention_problem_read(&problem);
  vector_core_t core = attention_vector_core(&problem);
  attention_vector_open();
  for (core.entry = problem.first_entry; core.entry < problem.args.batch;
       core.entry += problem.entry_step) {
    attention_reset_rows(&core);
    zero_output(&core);
    attention_softmax(&core, 0, weigh);
    for (uint32_t block = 1; block < problem.blocks; block++) {
      attention_softmax(&core, block, weigh);
      rescale(&core);
    }
    finish(&core);
  }
  attention_vector_drain();
}
