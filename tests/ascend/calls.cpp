// A row of results for each of many calls: FP32 in y, S32 in n; s is turned round, plus 1, by scalar accesses.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "kernel_operator.h"
using namespace AscendC;

struct Tiling {
  int32_t columns, value;
};

class Calls {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR i, GM_ADDR y, GM_ADDR n, GM_ADDR tiling) {
    auto data = reinterpret_cast<__gm__ Tiling *>(tiling);
    columns_ = data->columns;
    value_ = data->value;
    a_.SetGlobalBuffer((__gm__ float *)a);
    a_bits_.SetGlobalBuffer((__gm__ int32_t *)a);
    b_.SetGlobalBuffer((__gm__ float *)b);
    i_.SetGlobalBuffer((__gm__ int32_t *)i);
    y_.SetGlobalBuffer((__gm__ float *)y);
    n_.SetGlobalBuffer((__gm__ int32_t *)n);
    pipe_.InitBuffer(in_, 1, 3 * ROW);
    pipe_.InitBuffer(out_, 2, ROW);
    pipe_.InitBuffer(work_, 4 * ROW);
  }

  __aicore__ inline void Floats() {
    LocalTensor<float> in = in_.AllocTensor<float>();
    DataCopyPad(in, a_, {1, static_cast<uint16_t>(columns_ * 4), 0, 0}, {});
    DataCopyPad(in[ROW / 4], b_, {1, static_cast<uint16_t>(columns_ * 4), 0, 0}, {});
    in_.EnQue(in);
    in = in_.DeQue<float>();
    const LocalTensor<float> a = in, b = in[ROW / 4], t = work_.Get<float>(), u = t[ROW / 4];
    const int32_t c = columns_;
    Row([&](auto y) { Add(y, a, b, c); });
    Row([&](auto y) { Sub(y, a, b, 64, 1, {1, 1, 1, 8, 8, 8}), Sub(y[64], a[64], b[64], c - 64); });
    Row([&](auto y) { Mul(y, a, b, c); });
    Row([&](auto y) { Div(y, a, b, c); });
    Row([&](auto y) { Max(y, a, b, c); });
    Row([&](auto y) { Min(y, a, b, c); });
    Row([&](auto y) { Adds(y, a, 1.5f, c); });
    Row([&](auto y) { Muls(y, a, -2.0f, c); });
    Row([&](auto y) { Exp(y, a, c); });
    Row([&](auto y) { Abs(t, a, c), PipeBarrier<PIPE_V>(), Ln(y, t, c); });
    Row([&](auto y) { Sqrt(y, t, c); });
    Row([&](auto y) { Rsqrt(y, t, c); });
    Row([&](auto y) { Reciprocal(y, a, c); });
    Row([&](auto y) { Abs(y, a, c); });
    Row([&](auto y) { Relu(y, a, c); });
    Row([&](auto y) { Duplicate(y, 1.0f, c), PipeBarrier<PIPE_V>(), MulAddDst(y, a, b, c); });
    Row([&](auto y) {
      const LocalTensor<half> h = u.template ReinterpretCast<half>();
      Cast(h, a, RoundMode::CAST_NONE, c), PipeBarrier<PIPE_V>(), Cast(y, h, RoundMode::CAST_NONE, c);
    });
    Row([&](auto y) {
      const LocalTensor<int32_t> n = u.template ReinterpretCast<int32_t>();
      Cast(n, a, RoundMode::CAST_RINT, c), PipeBarrier<PIPE_V>(), Cast(y, n, RoundMode::CAST_NONE, c);
    });
    Row([&](auto y) { Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), ReduceSum(y, a, t, c); });
    Row([&](auto y) { Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), ReduceMax(y, a, t, c); });
    Row([&](auto y) { Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), ReduceMin(y, a, t, c); });
    const LocalTensor<uint8_t> bits = u.ReinterpretCast<uint8_t>();
    Row([&](auto y) {
      Compare(bits, a, b, CMPMODE::GT, c), PipeBarrier<PIPE_V>();
      Select(y, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, c);
    });
    Row([&](auto y) {
      CompareScalar(bits, a, 0.0f, CMPMODE::LT, c), PipeBarrier<PIPE_V>();
      Select(y, bits, a, 7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, c);
    });
    Row([&](auto y) {
      uint64_t first[2] = {0x3ff, 0};
      DataCopy(y, a, c), PipeBarrier<PIPE_V>(), Add(y, a, b, first, 1, {1, 1, 1, 8, 8, 8});
    });
    // The library.
    Row([&](auto y) { Sigmoid(y, a, c); });
    Row([&](auto y) { Silu(y, a, c); });
    Row([&](auto y) { Swish(y, a, c, 2.0f); });
    Row([&](auto y) { Gelu(y, a, c); });
    Row([&](auto y) { FasterGelu(y, a, c); });
    Row([&](auto y) { Tanh(y, a, c); });
    Row([&](auto y) { Floor(y, a, c); });
    Row([&](auto y) { Ceil(y, a, c); });
    Row([&](auto y) { Trunc(y, a, c); });
    const LocalTensor<float> sum = u, max = u[32], old = u[64];
    const SoftMaxShapeInfo shape{3, 32, 3, 30};
    Row([&](auto y) { Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), SoftMax<float>(y, sum, max, a, {}, shape); });
    Row([&](auto y) {  // columns 32 to 63 of one row, after its columns 0 to 31
      const LocalTensor<uint8_t> none = u.template ReinterpretCast<uint8_t>();
      Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>();
      SoftmaxFlashV2<float>(y, sum, max, a, old, sum, max, none, {}, {1, 32, 1, 32});
      SoftmaxFlashV2<float, true>(y, y[32], y[40], a[32], y[48], sum, max, none, {}, {1, 32, 1, 32});
    });
    Row([&](auto y) { Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), Sum(y, a, SumParams{3, 32, 30}); });
    Row([&](auto y) { Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), Mean(y, a, MeanParams{3, 32, 30}); });
    Row([&](auto y) {
      const uint32_t to[2] = {12, 8}, from[2] = {12, 1};
      Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), Broadcast<float, 2, 1>(y, a, to, from);
    });
    Row([&](auto y) {
      const uint32_t to[2] = {3, 32}, from[2] = {1, 32};
      Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), Broadcast<float, 2, 0>(y, a, to, from);
    });
    Row([&](auto y) {
      const LocalTensor<int8_t> q = u.template ReinterpretCast<int8_t>();
      const LocalTensor<half> h = t.template ReinterpretCast<half>();
      AscendQuant(q, a, 20.0f, 3.0f, c), PipeBarrier<PIPE_V>();
      Cast(h, q, RoundMode::CAST_NONE, c), PipeBarrier<PIPE_V>(), Cast(y, h, RoundMode::CAST_NONE, c);
    });
    // Sorting and picking.
    const LocalTensor<uint32_t> where = t.ReinterpretCast<uint32_t>();
    Row([&](auto y) {  // 96 scores: as if the last 32 of the result were not there
      CreateVecIndex(t.template ReinterpretCast<int32_t>(), 0, 96), PipeBarrier<PIPE_V>();
      Sort<float, true>(u, a, where, t[320], 3), PipeBarrier<PIPE_V>();
      Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), Extract(y, where, u, 3);
    });
    Row([&](auto y) { Duplicate(y, 0.0f, c), Cast(y, where.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 96); });
    for (uint8_t pattern = 1; pattern <= 7; ++pattern) {
      Row([&](auto y) {
        uint64_t taken = 0;
        Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>();
        GatherMask(y, a, pattern, true, 90, {1, 1, 8, 0}, taken);
        PipeBarrier<PIPE_V>(), Duplicate(y[96], static_cast<float>(taken), 4);
      });
    }
    Row([&](auto y) {
      uint64_t taken = 0;
      Compare(bits, a, b, CMPMODE::GT, 64), PipeBarrier<PIPE_V>(), Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>();
      GatherMask(y, a, bits.ReinterpretCast<uint32_t>(), true, 50, {1, 1, 8, 0}, taken);
      PipeBarrier<PIPE_V>(), Duplicate(y[96], static_cast<float>(taken), 4);
    });
    Row([&](auto y) {  // what two lists have until one ends
      const uint16_t lengths[4] = {32, 32};
      uint32_t taken[4];
      const MrgSortSrcList<float> lists(u, u[64], u, u);
      CreateVecIndex(t.template ReinterpretCast<int32_t>(), 0, 64), PipeBarrier<PIPE_V>();
      Sort32(u, a, where, 2), Duplicate(t, 0.0f, 128), Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>();
      MrgSort<float, true>(t, lists, lengths, taken, 0b11, 1);
      Duplicate(y[88], static_cast<float>(taken[0]), 8), Duplicate(y[96], static_cast<float>(taken[1]), 4);
      uint64_t all = 0;
      GatherMask(y, t, 1, true, 2 * (taken[0] + taken[1]), {1, 1, 8, 0}, all);
    });
    Row([&](auto y) {  // the last 32 places have nothing to turn
      LocalTensor<float> from[16], to[16];
      for (int k = 0; k < 16; ++k) {
        from[k] = t[8 * k], to[k] = u[8 * k];
      }
      Duplicate(t, 0.0f, 128), PipeBarrier<PIPE_V>(), DataCopy(t, a, 96), PipeBarrier<PIPE_V>();
      TransDataTo5HD<float>(to, from, {false, false, 1, 0, 0}), PipeBarrier<PIPE_V>(), DataCopy(y, u, 104);
    });
    Row([&](auto y) {
      const LocalTensor<half> h = t.template ReinterpretCast<half>(), turned = u.template ReinterpretCast<half>();
      Duplicate(h, half(0), 256), PipeBarrier<PIPE_V>(), Cast(h, a, RoundMode::CAST_RINT, c), PipeBarrier<PIPE_V>();
      Transpose(turned, h), PipeBarrier<PIPE_V>(), Cast(y, turned, RoundMode::CAST_NONE, c);
    });
    Row([&](auto y) {
      Duplicate(y, 0.0f, c), PipeBarrier<PIPE_V>(), ReduceMax(y, a, t, c, true), ReduceMin(y[8], a, t, c, true);
      const int32_t most = y.template ReinterpretCast<int32_t>().GetValue(1);
      const int32_t least = y.template ReinterpretCast<int32_t>().GetValue(9);
      y.SetValue(1, static_cast<float>(most)), y.SetValue(9, static_cast<float>(least));
    });
    Row([&](auto y) { ArithProgression(y, 2.0f, -0.5f, c); });
    in_.FreeTensor(in);
  }

  // Rows of 3 elements with five behind them; and an array that is filled.
  __aicore__ inline void Padded() {
    LocalTensor<float> in = in_.AllocTensor<float>();
    DataCopyPad(in, a_, DataCopyExtParams{12, 12, 20, 0, 0}, DataCopyPadExtParams<float>{true, 0, 5, -1.25f});
    in_.EnQue(in);
    in = in_.DeQue<float>();
    Row([&](auto y) { Duplicate(y, 0.0f, columns_), PipeBarrier<PIPE_V>(), DataCopy(y, in, 96); });
    in_.FreeTensor(in);
    InitGlobalMemory(y_[row_ * columns_], columns_, 2.5f);
  }

  __aicore__ inline void Integers(GlobalTensor<int64_t> s) {
    LocalTensor<int32_t> in = in_.AllocTensor<int32_t>();
    DataCopyPad(in, i_, DataCopyExtParams{1, uint32_t(columns_ * 4), 0, 0, 0}, DataCopyPadExtParams<int32_t>{});
    DataCopyPad(in[ROW / 4], a_bits_, DataCopyExtParams{1, uint32_t(columns_ * 4), 0, 0, 0},
                DataCopyPadExtParams<int32_t>{});
    in_.EnQue(in);
    in = in_.DeQue<int32_t>();
    const LocalTensor<float> a = in[ROW / 4].ReinterpretCast<float>();
    const int32_t c = columns_;
    row_ = 0;
    NumberRow([&](auto n) { Adds(n, in, 5, c); });
    NumberRow([&](auto n) { Muls(n, in, 3, c); });
    NumberRow([&](auto n) { ShiftLeft(n, in, 2, c); });
    NumberRow([&](auto n) { ShiftRight(n, in, 3, c); });
    NumberRow([&](auto n) { Cast(n, a, RoundMode::CAST_TRUNC, c); });
    NumberRow([&](auto n) { Cast(n, a, RoundMode::CAST_FLOOR, c); });
    NumberRow([&](auto n) { Duplicate(n, value_, c); });
    NumberRow([&](auto n) { CreateVecIndex(n, -7, c); });
    NumberRow([&](auto n) {
      int64_t sum = 0;
      for (int32_t k = 0; k < 8; ++k) {
        const int64_t value = s.GetValue(k);
        sum += value < 0 ? -value : value;
      }
      for (int32_t k = 0; k < c; ++k) {
        n.SetValue(k, static_cast<int32_t>(sum));
      }
    });
    in_.FreeTensor(in);
  }

 private:
  static constexpr uint32_t ROW = 512;

  template <typename F>
  __aicore__ inline void Row(F &&compute) {
    LocalTensor<float> y = out_.AllocTensor<float>();
    compute(y);
    out_.EnQue(y);
    y = out_.DeQue<float>();
    DataCopyPad(y_[row_++ * columns_], y, DataCopyExtParams{1, uint32_t(columns_ * 4), 0, 0, 0});
    out_.FreeTensor(y);
  }
  template <typename F>
  __aicore__ inline void NumberRow(F &&compute) {
    LocalTensor<int32_t> n = out_.AllocTensor<int32_t>();
    compute(n);
    out_.EnQue(n);
    n = out_.DeQue<int32_t>();
    DataCopyPad(n_[row_++ * columns_], n, DataCopyExtParams{1, uint32_t(columns_ * 4), 0, 0, 0});
    out_.FreeTensor(n);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 2> out_;
  TBuf<QuePosition::VECCALC> work_;
  GlobalTensor<float> a_, b_, y_;
  GlobalTensor<int32_t> i_, n_, a_bits_;
  int32_t columns_, value_;
  uint32_t row_ = 0;
};

extern "C" __global__ __aicore__ void calls(GM_ADDR a, GM_ADDR b, GM_ADDR i, GM_ADDR y, GM_ADDR n, GM_ADDR s, GM_ADDR w,
                                            GM_ADDR tiling) {
  if (GetBlockIdx() != 0) {
    return;
  }
  Calls op;
  op.Init(a, b, i, y, n, tiling);
  op.Floats();
  op.Padded();
  GlobalTensor<int64_t> array;
  array.SetGlobalBuffer((__gm__ int64_t *)s, 8);
  op.Integers(array);
  int64_t turned[8];
  for (int k = 0; k < 8; ++k) {
    turned[k] = array.GetValue(7 - k) + 1;
  }
  for (int k = 0; k < 8; ++k) {
    array.SetValue(k, turned[k]);
  }
}
