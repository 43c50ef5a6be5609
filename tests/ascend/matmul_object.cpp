// Products by the Matmul object: all of one to global memory, in half; another tile by tile to the vector core, which
// stores it with 1 added.  Both operands are turned in the second.
// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

template <typename T>
using Rows = MatmulType<TPosition::GM, CubeFormat::ND, T>;

template <typename T>
__aicore__ inline GlobalTensor<T> array(GM_ADDR x) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x));
  return tensor;
}

extern "C" __global__ __aicore__ void whole(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  GET_TILING_DATA_WITH_STRUCT(TCubeTiling, sizes, tiling);
  TPipe pipe;
  Matmul<Rows<half>, Rows<half>, Rows<half>> product;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &sizes);
  const uint32_t rows = sizes.singleCoreM, m0 = GetBlockIdx() * rows;
  product.SetTail(min(static_cast<uint32_t>(sizes.M) - m0, rows));
  product.SetTensorA(array<half>(a)[m0 * sizes.Ka]);
  product.SetTensorB(array<half>(b));
  product.IterateAll(array<half>(c)[m0 * sizes.N]);
  product.End();
}

extern "C" __global__ __aicore__ void tiles(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  GET_TILING_DATA_WITH_STRUCT(TCubeTiling, sizes, tiling);
  TPipe pipe;
  Matmul<Rows<bfloat16_t>, Rows<bfloat16_t>, MatmulType<TPosition::VECIN, CubeFormat::ND, float>> tiled;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), tiled, &sizes);
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  const uint32_t bytes = sizes.baseM * sizes.baseN * sizeof(float), columns = Ceil(sizes.N, sizes.baseN);
  pipe.InitBuffer(in, 2, bytes);
  pipe.InitBuffer(out, 2, bytes);
  tiled.SetTensorA(array<bfloat16_t>(a), true);
  tiled.SetTensorB(array<bfloat16_t>(b), true);
  for (uint32_t tile = 0; tiled.Iterate(); ++tile) {
    const uint32_t m0 = tile / columns * sizes.baseM, n0 = tile % columns * sizes.baseN;
    const uint32_t m = min(sizes.M - m0, static_cast<uint32_t>(sizes.baseM));
    const uint32_t n = min(sizes.N - n0, static_cast<uint32_t>(sizes.baseN));
    LocalTensor<float> x = in.AllocTensor<float>();
    tiled.GetTensorC(x);
    in.EnQue(x);
    x = in.DeQue<float>();
    LocalTensor<float> y = out.AllocTensor<float>();
    Adds(y, x, 1.0f, m * sizes.baseN);
    out.EnQue(y);
    in.FreeTensor(x);
    y = out.DeQue<float>();
    DataCopyPad(array<float>(c)[m0 * sizes.N + n0], y,
                DataCopyExtParams(m, n * sizeof(float), (sizes.baseN - n) / 8, (sizes.N - n) * sizeof(float), 0));
    out.FreeTensor(y);
  }
  tiled.End();
}
