// y = x / sqrt(mean(x^2) + eps) * weight for each row of an FP32 matrix.
#include "kernels/custom/custom.h"
#include "lib/tiling.h"
enum { TILE = 48 * 1024, X = 0, Y = TILE, WEIGHT = 2 * TILE, SUMS = 3 * TILE };  // in UB
#define ROWS(...) vector_op(.rows = n, .cols = cols, .dst_pitch = pitch, .a_pitch = pitch, __VA_ARGS__)
#define SUM(...) vector_op(.rows = 1, .cols = n, .dst = SUMS, .a = SUMS, .b_kind = OPERAND_SCALAR, __VA_ARGS__)

void vector_main(void) {
  const custom_args_t *args = custom_args();
  const custom_array_t *x = custom_in(args, 0), *weight = custom_in(args, 1);
  const uint32_t cols = x->shape[1], bytes = 4 * cols, pitch = round_up(bytes, 32), rows = TILE / pitch;
  require(x->dims == 2 && x->element == 4 && weight->bytes == bytes && args->out.bytes == x->bytes && rows > 0);
  data_copy_gm_to_ub(.gm = weight->gm, .ub = WEIGHT, .ub_pitch = pitch, .rows = 1, .row_bytes = bytes);
  for (uint32_t tile = custom_core(); tile * rows < x->shape[0]; tile += custom_cores()) {
    const uint32_t n = tile_length(x->shape[0], rows, tile), at = tile * rows * bytes;
    data_copy_gm_to_ub(.gm = x->gm + at, .gm_pitch = bytes, .ub = X, .ub_pitch = pitch, .rows = n, .row_bytes = bytes);
    order_pipes(PIPE_MTE2, PIPE_V, 0);
    ROWS(.op = VOP_MUL, .dst = Y, .a = X, .b = X, .b_pitch = pitch);
    ROWS(.op = VOP_ROW_SUM, .dst = SUMS, .a = Y);
    SUM(.op = VOP_DIV, .scalar = F32(cols));
    SUM(.op = VOP_ADD, .scalar = custom_f32(args, 0));
    SUM(.op = VOP_RSQRT);
    ROWS(.op = VOP_MUL, .dst = Y, .a = X, .b = SUMS, .b_kind = OPERAND_ROW);
    ROWS(.op = VOP_MUL, .dst = Y, .a = Y, .b = WEIGHT);
    order_pipes(PIPE_V, PIPE_MTE3, 0);
    data_copy_ub_to_gm(.ub = Y, .ub_pitch = pitch, .gm = args->out.gm + at, .gm_pitch = bytes, .rows = n,
                       .row_bytes = bytes);
    order_pipes(PIPE_MTE3, PIPE_MTE2, 0);
  }
}
