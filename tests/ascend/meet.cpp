// Vector cores meet by a flag of mode 0 and take what another has stored; then all cores meet, and the cube cores read
// what the vector cores of other blocks have stored.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

template <HardEvent event>
__aicore__ inline void order() {
  SetFlag<event>(EVENT_ID1);
  WaitFlag<event>(EVENT_ID1);
}

extern "C" __global__ __aicore__ void meet(GM_ADDR slots, GM_ADDR out) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GlobalTensor<int32_t> slot, result;
  slot.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(slots));
  result.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(out));
  const uint32_t all = GetBlockNum();
  if ASCEND_IS_AIV {
    const LocalTensor<int32_t> mine(0, 8);
    const uint32_t me = GetBlockIdx(), other = (me + 1) % (2 * all);
    Duplicate(mine, static_cast<int32_t>(me), 8);
    order<HardEvent::V_MTE3>();
    DataCopy(slot[me * 8], mine, 8);
    CrossCoreSetFlag<0, PIPE_MTE3>(5);
    CrossCoreWaitFlag(5);
    DataCopy(mine[8], slot[other * 8], 8);
    order<HardEvent::MTE2_V>();
    Adds(mine[8], mine[8], 100, 8);
    order<HardEvent::V_MTE3>();
    DataCopy(slot[(2 * all + me) * 8], mine[8], 8);
  }
  SyncAll<false>();
  if ASCEND_IS_AIC {
    const uint32_t me = GetBlockIdx(), other = (me + 1) % all;
    result.SetValue(me, slot.GetValue((2 * all + 2 * other) * 8) + 1000);
  }
}
