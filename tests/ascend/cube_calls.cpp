// Calls of cube cores in forms that matmul.cpp does not use, a kernel each; shapes are fixed.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
__aicore__ inline GlobalTensor<T> array(GM_ADDR x) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x));
  return tensor;
}

template <HardEvent event>
__aicore__ inline void order() {
  SetFlag<event>(EVENT_ID1);
  WaitFlag<event>(EVENT_ID1);
}

// bfloat16 from strips in memory and from fractals in memory, to strips of half; unit flags order Mmad and Fixpipe.
// a: [3 strips of 16 columns][32 rows], b: 3 x 2 fractals [k][n], strip by strip; c: [2 strips][20 rows], twice over.
extern "C" __global__ __aicore__ void strips(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  constexpr uint16_t M = 20, N = 32, K = 48;
  const LocalTensor<bfloat16_t> a1(TPosition::A1, 0, 32 * K), b1(TPosition::B1, 32 * K * 2, K * N);
  const LocalTensor<bfloat16_t> a2(TPosition::A2, 0, 32 * K), b2(TPosition::B2, 0, K * N);
  const LocalTensor<float> c1(TPosition::CO1, 0, 32 * N);
  DataCopy(a1, array<bfloat16_t>(a), DataCopyParams(3, 32, 0, 0));
  LoadData(b1, array<bfloat16_t>(b), LoadData2DParams(0, 6, 1, 0, 0, false, 0));
  order<HardEvent::MTE2_MTE1>();
  for (uint16_t i = 0; i < 2; ++i) {
    LoadData(a2[i * K * 16], a1, LoadData2DParams(i, 3, 2, 0, 0, false, 0));
  }
  for (uint16_t j = 0; j < 2; ++j) {  // a strip of b's columns: every second fractal of L0B
    LoadData(b2[j * 256], b1, LoadData2DParams(j * 3, 3, 1, 0, 1, true, 0));
  }
  order<HardEvent::MTE1_M>();
  for (uint32_t i = 0; i < 2; ++i) {
    Mmad(c1, a2, b2, MmadParams(M, N, K, 3, false, true));
    FixpipeParamsV220 p(N, M, 32, M, i != 0);
    p.quantPre = QuantMode_t::F322F16;
    p.unitFlag = 3;
    Fixpipe<half, float, CFG_NZ>(array<half>(c)[i * M * N], c1, p);
  }
}

// int8_t: two matrices a in one copy, b turned by squares; sums as they are, with a scale, and with one a column.
extern "C" __global__ __aicore__ void integers(GM_ADDR a, GM_ADDR b, GM_ADDR scales, GM_ADDR sums, GM_ADDR scaled,
                                               GM_ADDR columns) {
  constexpr uint16_t M = 20, N = 40, K = 64, UP_M = 32, UP_N = 64;
  TPipe pipe;
  TBuf<TPosition::A1> a1s;
  TBuf<TPosition::B1> b1s;
  TBuf<TPosition::C1> c1s;
  TBuf<TPosition::A2> a2s;
  TBuf<TPosition::B2> b2s;
  TBuf<TPosition::CO1> co1s;
  pipe.InitBuffer(a1s, 2 * UP_M * K);
  pipe.InitBuffer(b1s, K * UP_N);
  pipe.InitBuffer(c1s, N * 8);
  pipe.InitBuffer(a2s, UP_M * K);
  pipe.InitBuffer(b2s, K * UP_N);
  pipe.InitBuffer(co1s, UP_M * UP_N * 4);
  const LocalTensor<int8_t> a1 = a1s.Get<int8_t>(), b1 = b1s.Get<int8_t>();
  const LocalTensor<int8_t> a2 = a2s.Get<int8_t>(), b2 = b2s.Get<int8_t>();
  const LocalTensor<int32_t> co1 = co1s.Get<int32_t>();
  DataCopy(a1, array<int8_t>(a), Nd2NzParams(2, M, K, M * K, K, UP_M, 1, UP_M * K));
  DataCopy(b1, array<int8_t>(b), Nd2NzParams(1, K, N, 0, N, K, 1, 0));
  DataCopy(c1s.Get<uint64_t>(), array<uint64_t>(scales), N);
  order<HardEvent::MTE2_MTE1>();
  order<HardEvent::MTE2_FIX>();
  for (uint16_t k = 0; k < 2; ++k) {  // rows k * 32 .. of b, 2 squares: 4 fractals of L0B, of which 3 are multiplied
    LoadDataWithTranspose(b2[k * 3 * 512], b1, LoadData2dTransposeParams(k, 2, 2, 1, 0));
  }
  for (uint32_t matrix = 0; matrix < 2; ++matrix) {
    order<HardEvent::M_MTE1>();
    for (uint32_t i = 0; i < 2; ++i) {
      LoadData(a2[i * 1024], a1[matrix * UP_M * K + i * 512], LoadData2DParams(0, 2, 2, 0, 0, false, 0));
    }
    order<HardEvent::MTE1_M>();
    MmadParams p(M, N, K, false, 0);
    p.isBias = matrix != 0;
    Mmad(co1, a2, b2, p);
  }
  order<HardEvent::M_FIX>();
  FixpipeParamsV220 p(N, M, UP_M, N, false);
  Fixpipe(array<int32_t>(sums), co1, p);
  p.quantPre = QuantMode_t::DEQF16;
  p.deqScalar = 0x3c000000;  // 2^-7
  p.reluEn = true;
  Fixpipe(array<half>(scaled), co1, p);
  p.quantPre = QuantMode_t::VDEQF16;
  p.reluEn = false;
  Fixpipe(array<half>(columns), co1, c1s.Get<uint64_t>(), p);
}

// int8_t: relu(a b), with a scale a column to int8_t again, goes back to L1 and is multiplied by c.
extern "C" __global__ __aicore__ void again(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR scales, GM_ADDR out) {
  constexpr uint16_t M = 32, N = 32, K = 64;
  const LocalTensor<int8_t> a1(TPosition::A1, 0, M * K), b1(TPosition::B1, M * K, K * N);
  const LocalTensor<int8_t> c1(TPosition::B1, M * K + K * N, N * N), ab1(TPosition::A1, M * K + K * N + N * N, M * N);
  const LocalTensor<uint64_t> scales1(TPosition::C1, 16384, N);
  const LocalTensor<int8_t> a2(TPosition::A2, 0, M * K), b2(TPosition::B2, 0, K * N);
  const LocalTensor<int32_t> co1(TPosition::CO1, 0, M * N);
  DataCopy(a1, array<int8_t>(a), Nd2NzParams(1, M, K, 0, K, M, 1, 0));
  DataCopy(b1, array<int8_t>(b), Nd2NzParams(1, K, N, 0, N, K, 1, 0));
  DataCopy(c1, array<int8_t>(c), Nd2NzParams(1, N, N, 0, N, N, 1, 0));
  DataCopy(scales1, array<uint64_t>(scales), N);
  order<HardEvent::MTE2_MTE1>();
  order<HardEvent::MTE2_FIX>();
  for (uint16_t i = 0; i < 2; ++i) {
    LoadData(a2[i * 1024], a1[i * 512], LoadData2DParams(0, 2, 2, 0, 0, false, 0));
    LoadDataWithTranspose(b2[i * 1024], b1, LoadData2dTransposeParams(i, 1, 2, 1, 0));
  }
  order<HardEvent::MTE1_M>();
  Mmad(co1, a2, b2, MmadParams(M, N, K, 0, false, true));
  order<HardEvent::M_FIX>();
  FixpipeParamsV220 p(N, M, M, M, true);
  p.quantPre = QuantMode_t::VREQ8;
  Fixpipe<int8_t, int32_t, CFG_NZ>(ab1, co1, scales1, p);
  order<HardEvent::FIX_MTE1>();
  order<HardEvent::M_MTE1>();
  LoadData(a2, ab1, LoadData2DParams(0, 2, 1, 0, 0, false, 0));
  LoadDataWithTranspose(b2, c1, LoadData2dTransposeParams(0, 1, 1, 1, 0));
  order<HardEvent::MTE1_M>();
  order<HardEvent::FIX_M>();
  Mmad(co1, a2, b2, MmadParams(M, N, N, 0, false, true));
  order<HardEvent::M_FIX>();
  Fixpipe(array<int32_t>(out), co1, FixpipeParamsV220(N, M, M, N, false));
}

// Every block adds its part of a sum over k, one strip of 16, to the result in memory.
extern "C" __global__ __aicore__ void added(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  constexpr uint16_t M = 16, N = 40, K = 16, UP_N = 48;
  const LocalTensor<half> a1(TPosition::A1, 0, M * K), b1(TPosition::B1, 4096, UP_N * K);
  const LocalTensor<half> a2(TPosition::A2, 0, M * K), b2(TPosition::B2, 0, UP_N * K);
  const LocalTensor<float> c1(TPosition::CO1, 0, M * UP_N);
  const uint16_t all_k = static_cast<uint16_t>(K * GetBlockNum());
  DataCopy(a1, array<half>(a)[GetBlockIdx() * K], Nd2NzParams(1, M, K, 0, all_k, M, 1, 0));
  DataCopy(b1, array<half>(b)[GetBlockIdx() * K], Nd2NzParams(1, N, K, 0, all_k, UP_N, 1, 0));
  order<HardEvent::MTE2_MTE1>();
  LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  LoadData(b2, b1, LoadData2DParams(0, 3, 1, 0, 0, false, 0));
  order<HardEvent::MTE1_M>();
  Mmad(c1, a2, b2, MmadParams(M, N, K, 0, false, true));
  order<HardEvent::M_FIX>();
  SetAtomicAdd<float>();
  Fixpipe(array<float>(c), c1, FixpipeParamsV220(N, M, M, N, false));
  SetAtomicNone();
}

// c: [16][48] of halves, to which memory adds a: [16][16] times b: [16][48], cast before.
extern "C" __global__ __aicore__ void halves(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  constexpr uint16_t M = 16, N = 48, K = 16;
  const LocalTensor<half> a1(TPosition::A1, 0, M * K), b1(TPosition::B1, 4096, N * K);
  const LocalTensor<half> a2(TPosition::A2, 0, M * K), b2(TPosition::B2, 0, N * K);
  const LocalTensor<float> c1(TPosition::CO1, 0, M * N);
  DataCopy(a1, array<half>(a), Nd2NzParams(1, M, K, 0, K, M, 1, 0));
  DataCopy(b1, array<half>(b), Nd2NzParams(1, K, N, 0, N, K, 1, 0));
  order<HardEvent::MTE2_MTE1>();
  LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  LoadData(b2, b1, LoadData2DParams(0, 3, 1, 0, 0, true, 0));
  order<HardEvent::MTE1_M>();
  Mmad(c1, a2, b2, MmadParams(M, N, K, 0, false, true));
  order<HardEvent::M_FIX>();
  FixpipeParamsV220 p(N, M, M, N, false);
  p.quantPre = QuantMode_t::F322F16;
  SetAtomicAdd<half>();
  Fixpipe(array<half>(c), c1, p);
  SetAtomicNone();
}
