// A number in global memory that the program and the pipes count on in turn: what stays in the scalar core's cache has
// to be written back, and dropped.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void counter(GM_ADDR w, GM_ADDR y) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 32);
  LocalTensor<int32_t> numbers = buffer.Get<int32_t>();
  GlobalTensor<int32_t> count, result;
  count.SetGlobalBuffer((__gm__ int32_t *)w);
  result.SetGlobalBuffer((__gm__ int32_t *)y);

  count.SetValue(0, count.GetValue(0) + 1);
  DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(count);  // for MTE2
  SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
  DataCopy(numbers, count, 8);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Adds(numbers, numbers, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  result.SetValue(1, count.GetValue(1));
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(count, numbers, 8);
  SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
  WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(count);  // of MTE3
  result.SetValue(0, count.GetValue(0));
}
