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
    in_.FreeTensor(in);
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
