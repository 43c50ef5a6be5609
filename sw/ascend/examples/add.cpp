// z = x + y in half precision.  Blocks share tiles; flags are set and waited for by hand.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 1024;  // elements

extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer[3];
  for (auto &b : buffer) {
    pipe.InitBuffer(b, 2 * TILE * sizeof(half));
  }
  LocalTensor<half> x_tiles = buffer[0].Get<half>(), y_tiles = buffer[1].Get<half>(), z_tiles = buffer[2].Get<half>();
  GlobalTensor<half> x_array, y_array, z_array;
  x_array.SetGlobalBuffer((__gm__ half *)x, n);
  y_array.SetGlobalBuffer((__gm__ half *)y, n);
  z_array.SetGlobalBuffer((__gm__ half *)z, n);

  uint32_t done = 0;  // tiles of this block
  for (uint32_t from = GetBlockIdx() * TILE; from < n; from += GetBlockNum() * TILE) {
    const uint32_t count = min(TILE, n - from);
    const int32_t event = done % 2;  // two buffers: the next tile is loaded while this one is added
    const uint32_t at = event * TILE;
    if (done >= 2) {
      WaitFlag<HardEvent::V_MTE2>(event);
      WaitFlag<HardEvent::MTE3_V>(event);
    }
    DataCopy(x_tiles[at], x_array[from], count);
    DataCopy(y_tiles[at], y_array[from], count);
    SetFlag<HardEvent::MTE2_V>(event);
    WaitFlag<HardEvent::MTE2_V>(event);
    Add(z_tiles[at], x_tiles[at], y_tiles[at], count);
    SetFlag<HardEvent::V_MTE2>(event);
    SetFlag<HardEvent::V_MTE3>(event);
    WaitFlag<HardEvent::V_MTE3>(event);
    DataCopy(z_array[from], z_tiles[at], count);
    SetFlag<HardEvent::MTE3_V>(event);
    ++done;
  }
  for (uint32_t i = done > 2 ? done - 2 : 0; i < done; ++i) {  // flags are down at the end
    WaitFlag<HardEvent::V_MTE2>(i % 2);
    WaitFlag<HardEvent::MTE3_V>(i % 2);
  }
}
