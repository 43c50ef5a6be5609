// Softmax over each row of an FP32 matrix: y = exp(x - max) / sum.  Blocks share the rows.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
using namespace AscendC;

class Softmax {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
    rows_ = rows;
    columns_ = columns;
    x_.SetGlobalBuffer((__gm__ float *)x, rows * columns);
    y_.SetGlobalBuffer((__gm__ float *)y, rows * columns);
    const uint32_t bytes = (columns * sizeof(float) + 31) / 32 * 32;  // a row in UB
    pipe_.InitBuffer(in_, 2, bytes);
    pipe_.InitBuffer(out_, 2, bytes);
    pipe_.InitBuffer(work_, bytes);
    pipe_.InitBuffer(value_, 32);
  }

  __aicore__ inline void Process() {
    for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
      Load(row);
      Compute();
      Store(row);
    }
  }

 private:
  __aicore__ inline void Load(uint32_t row) {
    LocalTensor<float> x = in_.AllocTensor<float>();
    DataCopyExtParams copy{1, uint32_t(columns_ * sizeof(float)), 0, 0, 0};
    DataCopyPad(x, x_[row * columns_], copy, DataCopyPadExtParams<float>{});
    in_.EnQue(x);
  }

  __aicore__ inline void Compute() {
    LocalTensor<float> x = in_.DeQue<float>(), y = out_.AllocTensor<float>();
    LocalTensor<float> work = work_.Get<float>(), value = value_.Get<float>();
    ReduceMax(value, x, work, columns_);
    Adds(y, x, -value.GetValue(0), columns_);
    PipeBarrier<PIPE_V>();
    Exp(y, y, columns_);
    PipeBarrier<PIPE_V>();
    ReduceSum(value, y, work, columns_);
    Muls(y, y, 1 / value.GetValue(0), columns_);
    out_.EnQue(y);
    in_.FreeTensor(x);
  }

  __aicore__ inline void Store(uint32_t row) {
    LocalTensor<float> y = out_.DeQue<float>();
    DataCopyPad(y_[row * columns_], y, DataCopyExtParams{1, uint32_t(columns_ * sizeof(float)), 0, 0, 0});
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_;
  TQue<TPosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> work_, value_;
  GlobalTensor<float> x_, y_;
  uint32_t rows_, columns_;
};

extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
  Softmax op;
  op.Init(x, y, rows, columns);
  op.Process();
}
