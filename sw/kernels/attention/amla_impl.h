// Attention, the AMLA paper's Algorithm 2 (with line 9 as c = S16 / S32), as the kernel that includes
// this file has it: it may fill in amla_hooks.  The output stays in global memory.  O is kept as
// O * 2^n / r and rescaled by adding integers to its bits; the cube core adds P_j V_j to it.
//
//   order on O:  zeros, C2(0), rescale(1), C2(1), rescale(2), C2(2), ...
//
// Included behind a layout of UB.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_AMLA_IMPL_H
#define AMALGAM_SW_KERNELS_ATTENTION_AMLA_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "hal/hal.h"
#include "kernels/attention/attention_problem.h"
#include "kernels/attention/cube/attention_cube.h"
#include "kernels/attention/vector/attention_vector.h"

// Hooks of a kernel built on this one; 0 or NULL: none.
typedef struct amla_hooks {
  uint32_t sums;  // row values that take the place of l in what O is divided by
  // V and MTE3, before MTE3 waits for C2 so that it may rescale O.
  void (*before_rescale)(vector_core_t *core);
} amla_hooks_t;

static const amla_hooks_t amla_hooks;

// Row values; x2 as in enum row_values.
enum {
  ROW_N = ROW_KERNEL,   // x2: rint(-m / ln 2)
  ROW_C = ROW_N + 2,    // x2: S16 / S32
  ROW_S32 = ROW_C + 2,  // exp(n ln 2 + m) = 1 / r, in [1/sqrt 2, sqrt 2]
  ROW_S16,              // the same, rounded to BF16
  ROW_BF16,             // BF16 on its way to ROW_S16
  ROW_STEP,             // what to add to the bits of O, as FP32
  ROW_STEP_INT,         // as int32
  ROW_AMLA_END
};
_Static_assert((int)ROW_AMLA_END <= (int)ROW_VALUES, "row values do not fit in UB");

enum {
  COLUMNS = 128,                         // of O that a tile of integers has
  COLUMN_ROWS = OUT_SLOT / 4 / COLUMNS,  // rows of such a tile
};

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

static inline attention_output_t amla_output(const attention_problem_t *problem) {
  return (attention_output_t){.gm = problem->args.o,
                              .slot_a_unit = true,
                              .op = GM_ADD_F32,
                              .before = before_add,
                              .each_flag = FLAG_O_ADDED,
                              .last_flag = FLAG_O_COMPLETE};
}

// n, S32, S16 of the block's m.
static void split_maximum(const chunk_t *chunk) {
  const uint32_t count = chunk->rows;
  const uint32_t m = row_value(ROW_SAFE, chunk->row);
  const uint32_t n = row_value(row_pair(ROW_N, chunk->turn), chunk->row);
  const uint32_t s32 = row_value(ROW_S32, chunk->row);
  const uint32_t temp = row_value(ROW_TEMP, chunk->row);
  const uint32_t bf16 = row_value(ROW_BF16, chunk->row);

  row_op(count, .op = VOP_MUL, .dst = n, .a = m, by_scalar(F32_MINUS_LOG2E));
  row_op(count, .op = VOP_CAST, .dst = n, .a = n, .from = TYPE_F32, .to = TYPE_F32, .round = ROUND_NEAREST);
  row_op(count, .op = VOP_FMA, .dst = temp, .a = n, by_scalar(F32_LN2_HIGH), .c = m);
  row_op(count, .op = VOP_FMA, .dst = s32, .a = n, by_scalar(F32_LN2_LOW), .c = temp);
  row_op(count, .op = VOP_EXP, .dst = s32, .a = s32);
  row_op(count, .op = VOP_CAST, .dst = bf16, .a = s32, .from = TYPE_F32, .to = TYPE_BF16, .round = ROUND_NEAREST);
  row_op(count, .op = VOP_CAST, .dst = row_value(ROW_S16, chunk->row), .a = bf16, .from = TYPE_BF16, .to = TYPE_F32,
         .round = ROUND_NEAREST);
}

static void weigh(const chunk_t *chunk) {
  split_maximum(chunk);
  tile_update(chunk, .op = VOP_MUL, by_row(row_value(ROW_S16, chunk->row)));
}

// N: (max(n - n_prev, -30) + 1.5 (c / c_prev - 1) + 1e-6) * 2^23; 0 if the row was not live before.
// skip_noop: 0, too, if the row's maximum is still the same, which the 1e-6 alone would make 8.
static void find_step(uint32_t count, uint32_t turn, bool skip_noop) {
  const uint32_t before = turn - 1;
  const uint32_t n = row_value(row_pair(ROW_N, turn), 0);
  const uint32_t n_before = row_value(row_pair(ROW_N, before), 0);
  const uint32_t c = row_value(row_pair(ROW_C, turn), 0);
  const uint32_t c_before = row_value(row_pair(ROW_C, before), 0);
  const uint32_t m_before = row_value(row_pair(ROW_M, before), 0);
  const uint32_t bits = row_value(ROW_BITS, 0);
  const uint32_t step = row_value(ROW_STEP, 0);
  const uint32_t eps = row_value(ROW_TEMP, 0);

  row_op(count, .op = VOP_DIV, .dst = eps, .a = c, .b = c_before);
  row_op(count, .op = VOP_ADD, .dst = eps, .a = eps, by_scalar(F32_MINUS_1));
  row_op(count, .op = VOP_MUL, .dst = eps, .a = eps, by_scalar(F32_1_5));
  row_op(count, .op = VOP_SUB, .dst = step, .a = n, .b = n_before);
  row_op(count, .op = VOP_MAX, .dst = step, .a = step, by_scalar(F32_MINUS_30));
  row_op(count, .op = VOP_ADD, .dst = step, .a = step, .b = eps);
  row_op(count, .op = VOP_ADD, .dst = step, .a = step, by_scalar(F32_1E_6));
  row_op(count, .op = VOP_MUL, .dst = step, .a = step, by_scalar(F32_2_POW_23));
  row_op(count, .op = VOP_CMP_GT, .dst = bits, .a = m_before, by_scalar(F32_MINUS_INFINITY));
  row_op(count, .op = VOP_SELECT, .dst = step, .a = step, by_scalar(F32_ZERO), .c = bits);
  if (skip_noop) {
    row_op(count, .op = VOP_CMP_GT, .dst = bits, .a = row_value(row_pair(ROW_M, turn), 0), .b = m_before);
    row_op(count, .op = VOP_SELECT, .dst = step, .a = step, by_scalar(F32_ZERO), .c = bits);
  }
}

// One operation on O's rows row .. row + rows - 1, all columns, with the same COLUMNS columns of
// operands for all.
static void send_columns(const vector_core_t *core, uint32_t ub, uint32_t row, uint32_t rows, uint32_t op) {
  const attention_args_t *args = &core->problem->args;
  for (uint32_t column = 0; column < args->dv; column += COLUMNS) {
    data_copy_ub_to_gm(.ub = ub, .ub_pitch = 4 * COLUMNS, .gm = attention_o_row(core, row) + 4 * column,
                       .gm_pitch = args->o_pitch, .rows = rows, .row_bytes = 4 * min_u32(COLUMNS, args->dv - column),
                       .op = op, .skip_zero = op == GM_STORE ? 0 : args->skip_noop);
  }
}

// O = +0, the C2 of every block adds to it.  FLAG_P_READY of block 0, which follows in MTE3, lets
// the cube core's adds come after.
static void zero_output(vector_core_t *core) {
  const uint32_t rows = core->at->rows;
  const uint32_t use = core->out++;
  const uint32_t slot = ring_slot(&out_ring, use);
  ring_wait_free(&out_ring, use);
  vector_op(.op = VOP_BROADCAST, .rows = min_u32(COLUMN_ROWS, rows), .cols = COLUMNS, .dst = slot,
            .dst_pitch = 4 * COLUMNS, by_scalar(F32_ZERO));
  ring_set_full(&out_ring, use);
  ring_wait_full(&out_ring, use);
  for (uint32_t row = 0; row < rows; row += COLUMN_ROWS) {
    send_columns(core, slot, row, min_u32(COLUMN_ROWS, rows - row), GM_STORE);
  }
  ring_set_free(&out_ring, use);
}

// An integer for each element, as an atomic add on Ascend has it.
static void rescale_elements(vector_core_t *core) {
  const uint32_t all = core->at->rows;
  const uint32_t integers = row_value(ROW_STEP_INT, 0);
  row_op(all, .op = VOP_CAST, .dst = integers, .a = row_value(ROW_STEP, 0), .from = TYPE_F32, .to = TYPE_S32,
         .round = ROUND_TRUNC);
  for (uint32_t row = 0; row < all; row += COLUMN_ROWS) {
    const uint32_t rows = min_u32(COLUMN_ROWS, all - row);
    const uint32_t use = core->out++;
    const uint32_t slot = ring_slot(&out_ring, use);
    ring_wait_free(&out_ring, use);
    vector_op(.op = VOP_BROADCAST, .rows = rows, .cols = COLUMNS, .dst = slot, .dst_pitch = 4 * COLUMNS,
              by_row(integers + 4 * row));
    ring_set_full(&out_ring, use);
    ring_wait_full(&out_ring, use);
    send_columns(core, slot, row, rows, GM_ADD_S32);
    ring_set_free(&out_ring, use);
  }
}

// One for each row, which the unit at the memory walks.
static void rescale_rows(vector_core_t *core) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t use = core->out++;
  const uint32_t slot = ring_slot(&out_ring, use);
  ring_wait_free(&out_ring, use);
  row_op(core->at->rows, .op = VOP_CAST, .dst = slot, .a = row_value(ROW_STEP, 0), .from = TYPE_F32, .to = TYPE_S32,
         .round = ROUND_TRUNC);
  ring_set_full(&out_ring, use);
  ring_wait_full(&out_ring, use);
  data_copy_ub_to_gm(.ub = slot, .gm = attention_o_row(core, 0), .gm_pitch = args->o_pitch, .rows = core->at->rows,
                     .row_bytes = 4 * args->dv, .op = GM_RESCALE, .skip_zero = args->skip_noop);
  ring_set_free(&out_ring, use);
}

// c, and O from the scale of the block before to this block's.
static void after_scores(vector_core_t *core) {
  const uint32_t rows = core->at->rows;
  const uint32_t turn = core->at->turn.block;
  if (rows > 0) {
    row_op(rows, .op = VOP_DIV, .dst = row_value(row_pair(ROW_C, turn), 0), .a = row_value(ROW_S16, 0),
           .b = row_value(ROW_S32, 0));
  }
  if (walk_place(core->at)->block == 0) {
    return;
  }
  if (amla_hooks.before_rescale != NULL) {
    amla_hooks.before_rescale(core);
  }
  // C2 of the block before has been added.
  cross_core_wait_flag(PIPE_MTE3, FLAG_O_ADDED);
  if (rows > 0) {
    find_step(rows, turn, core->problem->args.skip_noop != 0);
    if (core->problem->args.rescale == RESCALE_ROW) {
      rescale_rows(core);
    } else {
      rescale_elements(core);
    }
  }
  cross_core_set_flag(PIPE_MTE3, FLAG_O_RESCALED);
}

static void load_output(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  data_copy_gm_to_ub(.gm = attention_o_row(core, chunk->row), .gm_pitch = args->o_pitch, .ub = chunk->tile,
                     .ub_pitch = chunk->pitch, .rows = chunk->rows, .row_bytes = 4 * args->dv);
}

// l * S16; the O of a split is only taken off S16.
static void divisor(uint32_t n, bool split, uint32_t divisor) {
  const uint32_t s16 = row_value(ROW_S16, 0);
  const uint32_t sums = row_value(amla_hooks.sums != 0 ? amla_hooks.sums : (uint32_t)ROW_L, 0);
  if (split) {
    row_op(n, .op = VOP_MUL, .dst = divisor, .a = s16, by_scalar(F32_ONE));
  } else {
    row_op(n, .op = VOP_MUL, .dst = divisor, .a = sums, .b = s16);
  }
}

static const attention_vector_kernel_t amla_vector = {.output_rows = SCORE_ROWS,
                                                      .output_flag = FLAG_O_COMPLETE,
                                                      .start = zero_output,
                                                      .weigh = weigh,
                                                      .after_scores = after_scores,
                                                      .load_output = load_output,
                                                      .divisor = divisor,
                                                      .split_divides = true};

#endif
