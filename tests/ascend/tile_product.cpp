// product: c = 2 a b in half precision: the cube core multiplies, and its vector cores double half of the rows each.
// a is [64][128], b [128][96] or, turned, [96][128].
// square: d = p p^T, p = relu(a b) in half precision, which goes from L0C back to L1.
// SPDX-License-Identifier: Apache-2.0
#include <pto/pto-inst.hpp>
#include "acl/acl.h"
using namespace pto;

constexpr int M = 64, K = 128, N = 96;

template <typename T, int R, int C>
using Strips = Tile<TileType::Mat, T, R, C, BLayout::ColMajor, R, C, SLayout::RowMajor, 512, PadValue::Zero>;
template <typename T, int R, int C>
using Turned = Tile<TileType::Mat, T, R, C, BLayout::RowMajor, R, C, SLayout::ColMajor, 512, PadValue::Zero>;
template <int R, int C>
using Array = GlobalTensor<half, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, C, 1>>;

extern "C" __global__ AICORE void product(__gm__ half *a, __gm__ half *b, __gm__ half *work, __gm__ half *c,
                                          int32_t turned) {
#if defined(__DAV_C220_CUBE__)
  Strips<half, M, K> left;
  Strips<half, K, N> right;
  Strips<half, N, K> other;
  TASSIGN(left, 0);
  TASSIGN(right, M * K * 2);
  TASSIGN(other, M * K * 2);
  TLOAD(left, Array<M, K>(a));
  if (turned != 0) {
    TLOAD(other, Array<N, K>(b));
  } else {
    TLOAD(right, Array<K, N>(b));
  }
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TileAcc<float, M, N> sums;
  TASSIGN(sums, 0);
  for (int i = 0; i < 2; ++i) {  // in two halves of k
    TileLeft<half, M, K / 2> l0a;
    TileRight<half, K / 2, N> l0b;
    TASSIGN(l0a, i * M * K);
    TASSIGN(l0b, i * K * N);
    TEXTRACT(l0a, left, 0, i * K / 2);
    if (turned != 0) {
      Turned<half, K, N> view;
      TRESHAPE(view, other);
      TEXTRACT(l0b, view, i * K / 2, 0);
    } else {
      TEXTRACT(l0b, right, i * K / 2, 0);
    }
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    if (i == 0) {
      TMATMUL(sums, l0a, l0b);
    } else {
      TMATMUL_ACC(sums, sums, l0a, l0b);
    }
  }
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(Array<M, N>(work), sums);
  ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | 0 << 8);
#elif defined(__DAV_C220_VEC__)
  const int row = get_subblockid() * M / 2;
  Tile<TileType::Vec, half, M / 2, N> tile;
  TASSIGN(tile, 0);
  wait_flag_dev(0);
  TLOAD(tile, Array<M / 2, N>(work + row * N));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TMULS(tile, tile, 2);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Array<M / 2, N>(c + row * N), tile);
#endif
}

extern "C" __global__ AICORE void square(__gm__ half *a, __gm__ half *b, __gm__ float *d) {
#if defined(__DAV_C220_CUBE__)
  Strips<half, M, K> left;
  Strips<half, K, N> right;
  Strips<half, M, N> p;
  Turned<half, N, M> p_turned;
  TASSIGN(left, 0);
  TASSIGN(right, M * K * 2);
  TASSIGN(p, (M + N) * K * 2);
  TRESHAPE(p_turned, p);
  TLOAD(left, Array<M, K>(a));
  TLOAD(right, Array<K, N>(b));
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TileLeft<half, M, K> l0a;
  TileRight<half, K, N> l0b;
  TileAcc<float, M, N> sums;
  TASSIGN(l0a, 0);
  TASSIGN(l0b, 0);
  TASSIGN(sums, 0);
  TMOV(l0a, left);
  TMOV(l0b, right);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(sums, l0a, l0b);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TMOV<Strips<half, M, N>, TileAcc<float, M, N>, ReluPreMode::NormalRelu>(p, sums);
  set_flag(PIPE_FIX, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_FIX, PIPE_MTE1, EVENT_ID0);
  TileLeft<half, M, N> p_left;
  TileRight<half, N, M> p_right;
  TileAcc<float, M, M> squares;
  TASSIGN(p_left, M * K * 2);
  TASSIGN(p_right, K * N * 2);
  TASSIGN(squares, M * N * 4);
  TMOV(p_left, p);
  TMOV(p_right, p_turned);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(squares, p_left, p_right);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(GlobalTensor<float, Shape<1, 1, 1, M, M>, Stride<1, 1, 1, M, 1>>(d), squares);
#endif
}
