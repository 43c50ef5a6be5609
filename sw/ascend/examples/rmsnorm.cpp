// RMSNorm with PTO tiles: y = x / sqrt(mean(x x) + 1e-6) * w over each row of 256 half-precision values.  Blocks share
// the rows; a block is an AI core, and each of its vector cores takes 8 rows at a time.
// SPDX-License-Identifier: Apache-2.0
#include <pto/pto-inst.hpp>
using namespace pto;

constexpr int ROWS = 8, COLUMNS = 256;

template <typename T, int rows>
using Rows = Tile<TileType::Vec, T, rows, COLUMNS, BLayout::RowMajor, DYNAMIC, COLUMNS>;
using Values = Tile<TileType::Vec, float, ROWS, 1, BLayout::ColMajor, DYNAMIC, 1>;
using Array = GlobalTensor<half, Shape<1, 1, 1, DYNAMIC, COLUMNS>, Stride<1, 1, 1, COLUMNS, 1>>;

extern "C" __global__ AICORE void rmsnorm(__gm__ half *x, __gm__ half *w, __gm__ half *y, int32_t rows) {
  Rows<half, 1> weight(1);
  Rows<float, 1> wide_weight(1);
  TASSIGN(weight, 0xa000);
  TASSIGN(wide_weight, 0xa400);
  TLOAD(weight, Array(w, {1}));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
  TCVT(wide_weight, weight);

  const int cores = get_block_num() * get_subblockdim(), core = get_block_idx() * get_subblockdim() + get_subblockid();
  int done = 0;  // tiles of this vector core
  for (int row = ROWS * core; row < rows; row += ROWS * cores, ++done) {
    const event_t event = done % 2 == 0 ? EVENT_ID0 : EVENT_ID1;  // two buffers: the next rows are loaded meanwhile
    const int count = min(ROWS, rows - row);
    Rows<half, ROWS> in(count), out(count);
    Rows<float, ROWS> values(count), square(count), work(count);
    Values scale(count);
    TASSIGN(in, event * 0x1000);
    TASSIGN(out, 0x2000 + event * 0x1000);
    TASSIGN(values, 0x4000);
    TASSIGN(square, 0x6000);
    TASSIGN(work, 0x8000);
    TASSIGN(scale, 0xa800);
    if (done >= 2) {
      wait_flag(PIPE_V, PIPE_MTE2, event);
      wait_flag(PIPE_MTE3, PIPE_V, event);
    }
    TLOAD(in, Array(x + row * COLUMNS, {count}));
    set_flag(PIPE_MTE2, PIPE_V, event);
    wait_flag(PIPE_MTE2, PIPE_V, event);
    TCVT(values, in);
    set_flag(PIPE_V, PIPE_MTE2, event);
    TMUL(square, values, values);
    TROWSUM(scale, square, work);
    TMULS(scale, scale, 1.0f / COLUMNS);
    TADDS(scale, scale, 1e-6f);
    TSQRT(scale, scale);
    TROWEXPANDDIV(values, values, scale);
    TCOLEXPANDMUL(values, values, wide_weight);
    TCVT(out, values);
    set_flag(PIPE_V, PIPE_MTE3, event);
    wait_flag(PIPE_V, PIPE_MTE3, event);
    TSTORE(Array(y + row * COLUMNS, {count}), out);
    set_flag(PIPE_MTE3, PIPE_V, event);
  }
  for (int i = max(0, done - 2); i < done; ++i) {  // flags are down at the end
    wait_flag(PIPE_V, PIPE_MTE2, i % 2);
    wait_flag(PIPE_MTE3, PIPE_V, i % 2);
  }
}
