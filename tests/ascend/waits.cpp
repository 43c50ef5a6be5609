// Every kind of order between pipes and cores, each of which is left out if `removed` is its number: then the run has
// to stop.  x = (a b) b, twice, on the cube core, whose first product goes back to L1; y = 2 x + 1 and z = 3 x on its
// vector cores, which take half of the rows each; but y[1] is y[0], and t is added to z[0].  All matrices are [32][32].
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

#define ORDER(number, ...)   \
  if (removed != (number)) { \
    __VA_ARGS__;             \
  }

constexpr uint16_t N = 32, ALL = N * N, READY = 1, TAKEN = 2;

template <HardEvent event>
__aicore__ inline void order() {
  SetFlag<event>(EVENT_ID1);
  WaitFlag<event>(EVENT_ID1);
}
template <typename T>
__aicore__ inline GlobalTensor<T> array(__gm__ T *x) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(x);
  return tensor;
}

__aicore__ inline void multiply(__gm__ half *a, __gm__ half *b, __gm__ float *room, uint32_t removed) {
  const LocalTensor<half> a1(TPosition::A1, 0, ALL), b1(TPosition::B1, 4096, ALL), p1(TPosition::A1, 8192, ALL);
  const LocalTensor<half> a2(TPosition::A2, 0, ALL), b2(TPosition::B2, 0, ALL);
  const LocalTensor<float> c(TPosition::CO1, 0, ALL);
  for (uint32_t turn = 0; turn < 2; ++turn) {
    ORDER(1, order<HardEvent::MTE1_MTE2>())
    DataCopy(a1, array(a)[turn * ALL], Nd2NzParams(1, N, N, 0, N, N, 1, 0));
    DataCopy(b1, array(b), Nd2NzParams(1, N, N, 0, N, N, 1, 0));
    ORDER(2, order<HardEvent::MTE2_MTE1>())
    ORDER(3, order<HardEvent::M_MTE1>())
    for (uint16_t i = 0; i < 2; ++i) {
      LoadData(a2[i * 512], a1[i * 256], LoadData2DParams(0, 2, 2, 0, 0, false, 0));
      LoadData(b2[i * 512], b1[i * 256], LoadData2DParams(0, 2, 2, 0, 0, true, 0));
    }
    ORDER(4, order<HardEvent::MTE1_M>())
    ORDER(5, order<HardEvent::FIX_M>())
    Mmad(c, a2, b2, MmadParams(N, N, N, 0, false, true));
    ORDER(6, order<HardEvent::M_FIX>())
    Fixpipe<half, float, CFG_NZ>(p1, c, FixpipeParamsV220(N, N, N, N, false));
    ORDER(7, order<HardEvent::FIX_MTE1>())
    for (uint16_t i = 0; i < 2; ++i) {
      LoadData(a2[i * 512], p1[i * 256], LoadData2DParams(0, 2, 2, 0, 0, false, 0));
    }
    ORDER(8, order<HardEvent::MTE1_M>())
    Mmad(c, a2, b2, MmadParams(N, N, N, 0, false, true));
    ORDER(9, order<HardEvent::M_FIX>())
    ORDER(10, if (turn > 0) CrossCoreWaitFlag<2, PIPE_FIX>(TAKEN))
    Fixpipe(array(room), c, FixpipeParamsV220(N, N, N, N, false));
    CrossCoreSetFlag<2, PIPE_FIX>(READY);
  }
  CrossCoreWaitFlag<2, PIPE_FIX>(TAKEN);
}

__aicore__ inline void scale(__gm__ float *room, __gm__ float *y_out, __gm__ float *z_out, __gm__ float *seen,
                             uint32_t removed) {
  const uint32_t half = ALL / 2, sub = GetSubBlockIdx();
  const LocalTensor<float> x(TPosition::VECIN, 0, half), y(TPosition::VECOUT, 4096, half);
  const LocalTensor<float> z(TPosition::VECOUT, 8192, half), t(TPosition::VECCALC, 16384, 8);
  Duplicate(t, 0.0f, 8);
  for (uint32_t turn = 0; turn < 2; ++turn) {
    ORDER(11, CrossCoreWaitFlag<2, PIPE_MTE2>(READY))
    ORDER(12, order<HardEvent::V_MTE2>())
    DataCopy(x, array(room)[sub * half], half);
    CrossCoreSetFlag<2, PIPE_MTE2>(TAKEN);
    ORDER(13, order<HardEvent::MTE2_V>())
    ORDER(14, order<HardEvent::MTE3_V>())
    Muls(y, x, 2.0f, half);
    ORDER(15, PipeBarrier<PIPE_V>())
    Adds(y, y, 1.0f, half);
    ORDER(16, order<HardEvent::MTE2_S>())
    const float first = x.GetValue(0);
    ORDER(17, order<HardEvent::V_S>())
    y.SetValue(1, y.GetValue(0));
    t.SetValue(0, first);
    ORDER(18, order<HardEvent::S_V>())
    Muls(z, x, 3.0f, half);
    PipeBarrier<PIPE_V>();
    Add(z, z, t, 8);
    ORDER(19, order<HardEvent::S_MTE3>())
    DataCopy(array(y_out)[turn * ALL + sub * half], y, half);
    ORDER(20, order<HardEvent::V_MTE3>())
    DataCopy(array(z_out)[turn * ALL + sub * half], z, half);
  }
  ORDER(21, SyncAll<true>())
  DataCopy(x, array(z_out)[(1 - sub) * half], 8);  // of the other core
  ORDER(22, order<HardEvent::MTE2_MTE3>())
  DataCopy(array(seen)[sub * 8], x, 8);
}

extern "C" __global__ __aicore__ void waits(__gm__ half *a, __gm__ half *b, __gm__ float *room, __gm__ float *y,
                                            __gm__ float *z, __gm__ float *seen, uint32_t removed) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    multiply(a, b, room, removed);
  }
  if ASCEND_IS_AIV {
    scale(room, y, z, seen, removed);
  }
}
