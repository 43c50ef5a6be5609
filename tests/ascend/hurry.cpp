// y = 100 x, by additions, in two parts: the second is loaded over the first, which nothing holds until it has been
// read.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void hurry(GM_ADDR x, GM_ADDR y) {
  if (GetBlockIdx() != 0) return;
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out;
  pipe.InitBuffer(in, 256);
  pipe.InitBuffer(out, 512);
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float *)x);
  to.SetGlobalBuffer((__gm__ float *)y);
  for (uint32_t part = 0; part < 2; ++part) {
    LocalTensor<float> a = in.Get<float>(), b = out.Get<float>()[64 * part];
    DataCopy(a, from[64 * part], 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(b, 0.0f, 64);
    for (int i = 0; i < 100; ++i) {
      Add(b, b, a, 64);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(to[64 * part], b, 64);
  }
}
