// c = leaky_relu(a @ b + bias) on a cube core and its vector cores, which pass tiles on through a workspace.
//
// a is [m][k], b [k][n], or [n][k] if turned is 1; all of any size: tiles of 64 x 48 x 64 end where the matrices do.
// Blocks take tiles of the result in turn.  A tile goes from Fixpipe to the workspace; cross-core flags tell the vector
// cores that it is there, and the cube core that there is room for the next but one.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE_M = 64, TILE_N = 48, TILE_K = 64, ROOMS = 2;
constexpr uint16_t READY = 1, TAKEN = 3;  // two flags each, one for each room

__aicore__ inline uint32_t up(uint32_t x, uint32_t to) { return (x + to - 1) / to * to; }
__aicore__ inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

struct Sizes {
  uint32_t m, n, k, turned;
  __aicore__ inline uint32_t columns() const { return (n + TILE_N - 1) / TILE_N; }
  __aicore__ inline uint32_t tiles() const { return (m + TILE_M - 1) / TILE_M * columns(); }
};

class Product {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR rooms, const Sizes &sizes) {
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b));
    rooms_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(rooms));
    sizes_ = sizes;
    pipe_.InitBuffer(a1_, 2, TILE_M * TILE_K * sizeof(half));
    pipe_.InitBuffer(b1_, 2, TILE_K * TILE_N * sizeof(half));
    pipe_.InitBuffer(a2_, 2, TILE_M * TILE_K * sizeof(half));
    pipe_.InitBuffer(b2_, 2, TILE_K * TILE_N * sizeof(half));
    pipe_.InitBuffer(c1_, TILE_M * TILE_N * sizeof(float));
  }

  __aicore__ inline void Process() {
    uint32_t room = 0, passed = 0;
    SetFlag<HardEvent::FIX_M>(EVENT_ID0);
    for (uint32_t tile = GetBlockIdx(); tile < sizes_.tiles(); tile += GetBlockNum()) {
      const uint32_t m0 = tile / sizes_.columns() * TILE_M, n0 = tile % sizes_.columns() * TILE_N;
      const uint32_t m = least(sizes_.m - m0, TILE_M), n = least(sizes_.n - n0, TILE_N);
      WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
      Multiply(m0, n0, m, n);
      SetFlag<HardEvent::M_FIX>(EVENT_ID0);
      WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
      if (passed >= ROOMS) {
        CrossCoreWaitFlag(TAKEN + room);
      }
      Store(room, m, n);
      SetFlag<HardEvent::FIX_M>(EVENT_ID0);
      CrossCoreSetFlag<2, PIPE_FIX>(READY + room);
      room = (room + 1) % ROOMS;
      ++passed;
    }
    WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
    for (uint32_t left = least(passed, ROOMS); left > 0; --left) {
      CrossCoreWaitFlag(TAKEN + (room + ROOMS - left) % ROOMS);
    }
  }

 private:
  __aicore__ inline void Multiply(uint32_t m0, uint32_t n0, uint32_t m, uint32_t n) {
    for (uint32_t k0 = 0; k0 < sizes_.k; k0 += TILE_K) {
      const uint32_t k = least(sizes_.k - k0, TILE_K);
      Load(m0, n0, k0, m, n, k);
      Split(m, n, k);
      Add(m, n, k, k0 == 0);
    }
  }

  __aicore__ inline void LoadMatrix(const LocalTensor<half> &to, const GlobalTensor<half> &from, uint32_t rows,
                                    uint32_t columns, uint32_t pitch) {
    Nd2NzParams p;
    p.nValue = rows;
    p.dValue = columns;
    p.srcDValue = pitch;
    p.dstNzC0Stride = up(rows, 16);
    DataCopy(to, from, p);
  }

  __aicore__ inline void Load(uint32_t m0, uint32_t n0, uint32_t k0, uint32_t m, uint32_t n, uint32_t k) {
    LocalTensor<half> a = a1_.AllocTensor<half>(), b = b1_.AllocTensor<half>();
    LoadMatrix(a, a_[m0 * sizes_.k + k0], m, k, sizes_.k);
    if (sizes_.turned != 0) {
      LoadMatrix(b, b_[n0 * sizes_.k + k0], n, k, sizes_.k);
    } else {
      LoadMatrix(b, b_[k0 * sizes_.n + n0], k, n, sizes_.n);
    }
    a1_.EnQue(a);
    b1_.EnQue(b);
  }

  __aicore__ inline void Split(uint32_t m, uint32_t n, uint32_t k) {
    const uint32_t rows = up(m, 16) / 16, inner = up(k, 16) / 16, columns = up(n, 16) / 16;
    LocalTensor<half> from = a1_.DeQue<half>(), to = a2_.AllocTensor<half>();
    for (uint32_t i = 0; i < rows; ++i) {  // a row of fractals: one of each strip
      LoadData2DParams p;
      p.repeatTimes = inner;
      p.srcStride = rows;
      LoadData(to[i * inner * 256], from[i * 256], p);
    }
    a2_.EnQue(to);
    a1_.FreeTensor(from);

    from = b1_.DeQue<half>();
    to = b2_.AllocTensor<half>();
    for (uint32_t i = 0; i < inner; ++i) {
      LoadData2DParams p;
      p.repeatTimes = columns;
      p.srcStride = sizes_.turned != 0 ? 1 : inner;
      p.ifTranspose = sizes_.turned == 0;
      LoadData(to[i * columns * 256], from[i * (sizes_.turned != 0 ? columns : 1) * 256], p);
    }
    b2_.EnQue(to);
    b1_.FreeTensor(from);
  }

  __aicore__ inline void Add(uint32_t m, uint32_t n, uint32_t k, bool first) {
    LocalTensor<half> a = a2_.DeQue<half>(), b = b2_.DeQue<half>();
    MmadParams p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.cmatrixInitVal = first;
    Mmad(c1_.Get<float>(), a, b, p);
    a2_.FreeTensor(a);
    b2_.FreeTensor(b);
  }

  __aicore__ inline void Store(uint32_t room, uint32_t m, uint32_t n) {
    FixpipeParamsV220 p;
    p.mSize = m;
    p.nSize = n;
    p.srcStride = up(m, 16);
    p.dstStride = TILE_N;
    Fixpipe(rooms_[(GetBlockIdx() * ROOMS + room) * TILE_M * TILE_N], c1_.Get<float>(), p);
  }

  TPipe pipe_;
  TQue<TPosition::A1, 2> a1_;
  TQue<TPosition::B1, 2> b1_;
  TQue<TPosition::A2, 2> a2_;
  TQue<TPosition::B2, 2> b2_;
  TBuf<TPosition::CO1> c1_;
  GlobalTensor<half> a_, b_;
  GlobalTensor<float> rooms_;
  Sizes sizes_;
};

class Activation {
 public:
  __aicore__ inline void Init(GM_ADDR bias, GM_ADDR c, GM_ADDR rooms, const Sizes &sizes) {
    bias_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(bias));
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c));
    rooms_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(rooms));
    sizes_ = sizes;
    pipe_.InitBuffer(in_, 2, TILE_M / 2 * TILE_N * sizeof(float));
    pipe_.InitBuffer(out_, 2, TILE_M / 2 * TILE_N * sizeof(float));
    pipe_.InitBuffer(bias_in_, 2, TILE_N * sizeof(float));
  }

  // The first or second half of each tile's rows.
  __aicore__ inline void Process() {
    uint32_t room = 0;
    const uint32_t block = GetBlockIdx() / GetSubBlockNum();
    for (uint32_t tile = block; tile < sizes_.tiles(); tile += GetBlockNum()) {
      const uint32_t m0 = tile / sizes_.columns() * TILE_M, n0 = tile % sizes_.columns() * TILE_N;
      const uint32_t m = least(sizes_.m - m0, TILE_M), n = least(sizes_.n - n0, TILE_N);
      const uint32_t half_m = (m + 1) / 2, first = GetSubBlockIdx() * half_m;
      CrossCoreWaitFlag(READY + room);
      if (first < m) {
        Take(block * ROOMS + room, first, least(m - first, half_m), m0, n0, n);
      }
      CrossCoreSetFlag<2, PIPE_MTE2>(TAKEN + room);
      if (first < m) {
        Put(first, least(m - first, half_m), m0, n0, n);
      }
      room = (room + 1) % ROOMS;
    }
  }

 private:
  __aicore__ inline void Take(uint32_t room, uint32_t first, uint32_t rows, uint32_t m0, uint32_t n0, uint32_t n) {
    LocalTensor<float> x = in_.AllocTensor<float>(), bias = bias_in_.AllocTensor<float>();
    DataCopyPadExtParams<float> no_padding;
    DataCopyPad(x, rooms_[(room * TILE_M + first) * TILE_N],
                DataCopyExtParams(rows, n * sizeof(float), (TILE_N - n) * sizeof(float), (TILE_N - n) / 8, 0),
                no_padding);
    DataCopyPad(bias, bias_[n0], DataCopyExtParams(1, n * sizeof(float), 0, 0, 0), no_padding);
    in_.EnQue(x);
    bias_in_.EnQue(bias);
  }

  __aicore__ inline void Put(uint32_t first, uint32_t rows, uint32_t m0, uint32_t n0, uint32_t n) {
    LocalTensor<float> x = in_.DeQue<float>(), bias = bias_in_.DeQue<float>(), y = out_.AllocTensor<float>();
    for (uint32_t row = 0; row < rows; ++row) {
      Add(y[row * TILE_N], x[row * TILE_N], bias, n);
      PipeBarrier<PIPE_V>();
      LeakyRelu(y[row * TILE_N], y[row * TILE_N], 0.25f, n);
    }
    out_.EnQue(y);
    in_.FreeTensor(x);
    bias_in_.FreeTensor(bias);
    y = out_.DeQue<float>();
    DataCopyPad(c_[(m0 + first) * sizes_.n + n0], y,
                DataCopyExtParams(rows, n * sizeof(float), (TILE_N - n) / 8, (sizes_.n - n) * sizeof(float), 0));
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 2> in_, bias_in_;
  TQue<TPosition::VECOUT, 2> out_;
  GlobalTensor<float> bias_, c_, rooms_;
  Sizes sizes_;
};

extern "C" __global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                             uint32_t m, uint32_t n, uint32_t k, uint32_t turned) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  const Sizes sizes = {m, n, k, turned};
  if ASCEND_IS_AIC {
    Product product;
    product.Init(a, b, workspace, sizes);
    product.Process();
  }
  if ASCEND_IS_AIV {
    Activation activation;
    activation.Init(bias, c, workspace, sizes);
    activation.Process();
  }
}
