// Stores that memory combines: a row for each type and operation, and one of halves from the cube, whose lines lie
// apart.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t ROW = 256;  // bytes

template <typename T>
__aicore__ inline void combine(GM_ADDR y, const LocalTensor<uint8_t> &x, uint32_t type) {
  for (uint32_t op = 0; op < 3; ++op) {
    const uint32_t row = op * 6 + type;
    GlobalTensor<T> to;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y + row * ROW));
    if (op == 0) {
      SetAtomicAdd<T>();
    } else if (op == 1) {
      SetAtomicMax<T>();
    } else {
      SetAtomicMin<T>();
    }
    DataCopy(to, x[row * ROW].template ReinterpretCast<T>(), ROW / sizeof(T));
    SetAtomicNone();
  }
}

// x, y: 18 rows, first the sums, then the largest, then the smallest.
extern "C" __global__ __aicore__ void rows(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 18 * ROW);
  GlobalTensor<uint8_t> from;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t *>(x));
  const LocalTensor<uint8_t> operands = buffer.Get<uint8_t>();
  DataCopy(operands, from, 18 * ROW);
  PipeBarrier<PIPE_ALL>();
  combine<float>(y, operands, 0);
  combine<half>(y, operands, 1);
  combine<bfloat16_t>(y, operands, 2);
  combine<int32_t>(y, operands, 3);
  combine<int16_t>(y, operands, 4);
  combine<int8_t>(y, operands, 5);
}
