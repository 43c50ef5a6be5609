// Softmax of scaled products, rounded to BF16, with a mistake of those that people make: BUG says which, 0 is none. The
// line that is wrong has its number in a comment.
//   out [48,64] FP32 = bf16(softmax over rows of (scale * A [48,64] x B [64,64]^T))
// The cube core leaves the products in `out`, whose rows each vector core turns into the result, ten at a time.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"

#ifndef BUG
#define BUG 0
#endif

enum { M = 48, N = 64, K = 64, STEP = 32, ROWS = M / 2, TILE_ROWS = 10, PITCH = 4 * N };
enum { A_L1 = 0, B_L1 = 0x4000, A_STRIP = M * 32, B_STRIP = N * 32 };
enum { TILE = 0, HALF = 0x2000, MAXIMA = 0x4000 };

// clang-format off
void cube_main(void) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
#if BUG == 3
  data_copy_gm_to_l1(.gm = args->in[0].gm, .gm_pitch = K, .l1 = A_L1, .rows = M, .cols = K);   // BUG 3: elements, not bytes
#else
  data_copy_gm_to_l1(.gm = args->in[0].gm, .gm_pitch = 2 * K, .l1 = A_L1, .rows = M, .cols = K);
#endif
  data_copy_gm_to_l1(.gm = args->in[1].gm, .gm_pitch = 2 * K, .l1 = B_L1, .rows = N, .cols = K);
  set_flag(PIPE_MTE2, PIPE_MTE1, 0);
#if BUG != 4
  wait_flag(PIPE_MTE2, PIPE_MTE1, 0);
#endif
  for (uint32_t step = 0; step < K / STEP; ++step) {
    const uint32_t a = A_L1 + step * 2 * A_STRIP, slot = step * 0x2000;
#if BUG == 14
    const uint32_t b = B_L1;
#else
    const uint32_t b = B_L1 + step * 2 * B_STRIP;
#endif
#if BUG == 1
    load_data_a(.l1 = a, .l1_pitch = 2 * K, .l0a = slot, .m = M, .k = STEP);   // BUG 1: of rows, and these are strips
#else
    load_data_a(.l1 = a, .l1_pitch = A_STRIP, .l0a = slot, .m = M, .k = STEP);   // BUG 4: nobody has waited for A
#endif
#if BUG == 2
    load_data_b(.l1 = b, .l1_pitch = B_STRIP, .l0b = slot, .k = STEP, .n = N);   // BUG 2: not turned
#else
    load_data_b(.l1 = b, .l1_pitch = B_STRIP, .l0b = slot, .k = STEP, .n = N, .transpose = 1);   // BUG 14: the same half twice
#endif
    set_flag(PIPE_MTE1, PIPE_M, 0);
    wait_flag(PIPE_MTE1, PIPE_M, 0);
#if BUG == 9
    mmad(.l0a = slot, .l0b = slot, .m = M, .n = N, .k = STEP, .accumulate = 1, .type = TYPE_BF16);   // BUG 9: to what?
#else
    mmad(.l0a = slot, .l0b = slot, .m = M, .n = N, .k = STEP, .accumulate = step > 0, .type = TYPE_BF16);
#endif
  }
#if BUG == 4
  wait_flag(PIPE_MTE2, PIPE_MTE1, 0);
#endif
  set_flag(PIPE_M, PIPE_FIX, 0);
  wait_flag(PIPE_M, PIPE_FIX, 0);
  fixpipe(.m = M, .n = N, .gm = args->out.gm, .gm_pitch = PITCH, .type = TYPE_F32, .op = GM_STORE);
  cross_core_set_flag(PIPE_FIX, 0);
}

static void softmax(uint32_t rows, uint32_t scale) {
  (void)scale;
#if BUG == 8
  const uint32_t sums = TILE + 3 * PITCH;
#else
  const uint32_t sums = MAXIMA + 0x200;
#endif
#if BUG == 6
  vector_op(.op = VOP_MUL, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH, .b_kind = OPERAND_SCALAR, .scalar = 0x3f000000);   // BUG 6: 0.5
#else
  vector_op(.op = VOP_MUL, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH, .b_kind = OPERAND_SCALAR, .scalar = scale);
#endif
  vector_op(.op = VOP_ROW_MAX, .rows = rows, .cols = N, .dst = MAXIMA, .a = TILE, .a_pitch = PITCH);
  vector_op(.op = VOP_SUB, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH, .b = MAXIMA, .b_kind = OPERAND_ROW);
#if BUG == 12
  vector_op(.op = VOP_MUL, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH, .b_kind = OPERAND_SCALAR, .scalar = scale);   // BUG 12: once more
#endif
  vector_op(.op = VOP_EXP, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH);
  vector_op(.op = VOP_ROW_SUM, .rows = rows, .cols = N, .dst = sums, .a = TILE, .a_pitch = PITCH);   // BUG 8: into the tile
#if BUG == 13
  vector_op(.op = VOP_DIV, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH, .b = MAXIMA, .b_kind = OPERAND_ROW);   // BUG 13: by what is left from before
#else
  vector_op(.op = VOP_DIV, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH, .b = sums, .b_kind = OPERAND_ROW);
#endif
  vector_op(.op = VOP_CAST, .rows = rows, .cols = N, .dst = HALF, .dst_pitch = PITCH, .a = TILE, .a_pitch = PITCH, .from = TYPE_F32, .to = TYPE_BF16);
#if BUG == 7
  vector_op(.op = VOP_CAST, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = HALF, .a_pitch = PITCH, .from = TYPE_F16, .to = TYPE_F32);   // BUG 7: it is BF16
#else
  vector_op(.op = VOP_CAST, .rows = rows, .cols = N, .dst = TILE, .dst_pitch = PITCH, .a = HALF, .a_pitch = PITCH, .from = TYPE_BF16, .to = TYPE_F32);
#endif
}

void vector_main(void) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  const uint32_t sub = (uint32_t)hal_read(REG_SUB_INDEX);
  cross_core_wait_flag(PIPE_MTE2, 0);
  for (uint32_t row = 0; row < ROWS; row += TILE_ROWS) {
    const uint32_t rows = ROWS - row < TILE_ROWS ? ROWS - row : TILE_ROWS;
    const uint64_t place = args->out.gm + (sub * ROWS + row) * PITCH;
    data_copy_gm_to_ub(.gm = place, .gm_pitch = PITCH, .ub = TILE, .ub_pitch = PITCH, .rows = rows, .row_bytes = PITCH);
    set_flag(PIPE_MTE2, PIPE_V, 0);
#if BUG == 10
    wait_flag(PIPE_MTE2, PIPE_V, 1);   // BUG 10: the flag of another ring
#else
    wait_flag(PIPE_MTE2, PIPE_V, 0);
#endif
    softmax(rows, args->param[0].f32);
    set_flag(PIPE_V, PIPE_MTE3, 0);
    wait_flag(PIPE_V, PIPE_MTE3, 0);
#if BUG == 5
    data_copy_ub_to_gm(.ub = TILE, .ub_pitch = PITCH, .gm = place, .gm_pitch = PITCH, .rows = rows < TILE_ROWS ? rows - 1 : rows, .row_bytes = PITCH, .op = GM_STORE);   // BUG 5: the last row of the tail
#elif BUG == 11
    data_copy_ub_to_gm(.ub = TILE, .ub_pitch = PITCH, .gm = args->out.gm + ((1 - sub) * ROWS + row) * PITCH, .gm_pitch = PITCH, .rows = rows, .row_bytes = PITCH, .op = GM_STORE);   // BUG 11: the other core's rows
#else
    data_copy_ub_to_gm(.ub = TILE, .ub_pitch = PITCH, .gm = place, .gm_pitch = PITCH, .rows = rows, .row_bytes = PITCH, .op = GM_STORE);
#endif
    set_flag(PIPE_MTE3, PIPE_MTE2, 0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, 0);
  }
}
