// The library's calls in half precision, a row of results each, which halves.py compares.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void halves(GM_ADDR x, GM_ADDR y) {
  if (GetBlockIdx() != 0) return;
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out, more, work;
  pipe.InitBuffer(in, 512);
  pipe.InitBuffer(out, 4096);
  pipe.InitBuffer(more, 1024);
  pipe.InitBuffer(work, 2048);
  GlobalTensor<half> from, to;
  from.SetGlobalBuffer((__gm__ half *)x);
  to.SetGlobalBuffer((__gm__ half *)y);
  LocalTensor<half> a = in.Get<half>(), b = out.Get<half>(), c = more.Get<half>(), t = work.Get<half>();
  DataCopy(a, from, 192);
  PipeBarrier<PIPE_ALL>();
  uint32_t row = 0;
  auto store = [&](uint32_t n) {
    PipeBarrier<PIPE_ALL>();
    DataCopy(to[row * 512], b, (n + 15) / 16 * 16);
    PipeBarrier<PIPE_ALL>();
    ++row;
  };
  Sigmoid(b, a, 192);
  store(192);
  Silu(b, a, 192);
  store(192);
  Swish(b, a, 192, half(2));
  store(192);
  Gelu(b, a, 192);
  store(192);
  FasterGelu(b, a, 192);
  store(192);
  Tanh(b, a, 192);
  store(192);
  Sum(b, a, SumParams{3, 64, 60});
  store(16);
  Mean(b, a, MeanParams{3, 64, 60});
  store(16);
  {
    const uint32_t f[2] = {20, 1}, g[2] = {20, 16};
    Broadcast<half, 2, 1>(b, a, g, f);
    store(320);
  }
  {
    const uint32_t f[2] = {1, 64}, g[2] = {5, 64};
    Broadcast<half, 2, 0>(b, a, g, f);
    store(320);
  }
  SoftMaxTiling tiling;
  tiling.srcM = 3;
  tiling.srcK = 64;
  SoftMax<half>(b, c, c[48], a, tiling, SoftMaxShapeInfo{3, 64, 3, 60});
  store(192);
  ReduceMax(b, a, t, 192, true);
  store(16);
  ReduceMin(b, a, t, 192, true);
  store(16);
  ReduceSum(b, a, t, 192);
  store(16);
  ArithProgression(b, half(3), half(0.5f), 192);
  store(192);
  AscendQuant(b.ReinterpretCast<int8_t>(), a, 20.0f, 3.0f, 192u);
  store(96);
}
