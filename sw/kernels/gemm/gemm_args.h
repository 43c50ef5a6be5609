// Arguments of the matrix multiplication kernel (gemm), as the host lays them in global memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_GEMM_ARGS_H
#define KERNELS_GEMM_ARGS_H

#include <stdint.h>

// c = a x b on the cube cores. Products enter each FP32 sum with k ascending, as one chain of fused
// multiply-adds that starts at +0. AI core i of n takes the tiles i, i + n, ... of c.
enum {
  GEMM_MAX = 1 << 20,  // m, n and k each
  // What the cube core must have.
  GEMM_L1_KB = 512,
  GEMM_L0_KB = 64,  // L0A, and as much L0B
  GEMM_L0C_KB = 128,
};

typedef struct gemm_args {
  uint64_t a;  // [m][k], BF16 or FP16, rows a_pitch bytes apart
  uint64_t b;  // [k][n], the same type, rows b_pitch bytes apart
  uint64_t c;  // [m][n] FP32, rows c_pitch bytes apart
  uint32_t a_pitch, b_pitch, c_pitch;
  uint32_t m, n, k;  // 1 .. GEMM_MAX each
  uint32_t type;     // TYPE_BF16 or TYPE_F16
} gemm_args_t;

// What gemm_fp16 takes, the same kernel built for FP16 results and tiles of a given width.
typedef struct gemm_fp16_args {
  gemm_args_t product;  // type is TYPE_F16, c of c_type
  uint32_t c_type;      // TYPE_F32, or TYPE_F16: cast on the way to memory, RNE
  uint32_t tile_cols;   // 0: by the kernel's own rule; else a multiple of 16 up to 256
} gemm_fp16_args_t;

#endif
