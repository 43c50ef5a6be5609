// Arguments of the W4A16 kernel, as the host lays them in global memory, and the limits of its tiling.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_W4A16_W4A16_ARGS_H
#define AMALGAM_SW_KERNELS_W4A16_W4A16_ARGS_H

#include <stdint.h>

// c = a x B, where B = fp16(scale * (w - zero)) is made of nibbles by the vector cores.
enum {
  W4A16_MAX = 1 << 20,  // m, n and k each
  W4A16_MAX_SPLITS = 64,
  W4A16_SLOT = 64 * 1024,  // bytes of a piece of B at most, in L1 and in the workspace
  W4A16_RING = 12,         // pieces of B in a core's workspace, where phases overlap
  W4A16_MAX_TILE = 16384,  // rows x columns of a tile of c, half of L0C
  W4A16_TILE_PITCH = 512,  // bytes: every row of a tile of B begins where global memory likes it
  // Least sizes of the cores' buffers.
  W4A16_L1_KB = 512,
  W4A16_L0_KB = 64,  // L0A, and as much L0B
  W4A16_L0C_KB = 128,
  W4A16_UB_KB = 192,
};

// The order of dequantisation and multiplication.
enum w4a16_phases {
  W4A16_SEQUENTIAL,  // all of B is dequantised to the workspace, then multiplied
  W4A16_OVERLAPPED,  // each AI core's vector cores make what its cube core multiplies, piece by
                     // piece, in a ring in the workspace
  W4A16_DIRECT,      // as overlapped, but straight into the cube core's L1
  W4A16_PHASES_COUNT
};

// The way to compute w - zero.
enum w4a16_zeros {
  W4A16_NO_ZEROS,    // w
  W4A16_HALF_ZEROS,  // exact in FP16 for every nibble: subtracted and multiplied in FP16
  W4A16_ANY_ZEROS,   // anything: one FMA in FP32, rounded to FP16; +0 where w is the zero point
  W4A16_ZEROS_COUNT
};

typedef struct w4a16_args {
  uint64_t a;        // [m][k] FP16
  uint64_t w;        // [k][n / 2] bytes: nibbles, the lower one first
  uint64_t scale;    // [k / group][n] FP16
  uint64_t zero;     // likewise; not used with W4A16_NO_ZEROS
  uint64_t c;        // [m][n] FP16, or FP32 with out_f32
  uint64_t b;        // workspace: sequential [k] rows, in which tile j of tile_cols FP16 begins at
                     // byte W4A16_TILE_PITCH j; overlapped W4A16_RING slots of W4A16_SLOT bytes for
                     // each AI core; not used by the direct path
  uint64_t partial;  // with reduce: [splits] of [m][n] FP32, partial_bytes apart
  uint64_t partial_bytes;
  uint32_t m, n, k;  // n a multiple of 8
  uint32_t group;    // rows that share a scale; divides k
  // Slice i of k is rows floor(i k / splits) .. floor((i + 1) k / splits) - 1.
  uint32_t splits;
  uint32_t reduce;        // 1: slices' sums go to partial and vector cores add them; 0: one slice,
                          // whose sum the cube core casts
  uint32_t tile_cols;     // of a tile of c: 64, 128 or 256
  uint32_t dequant_rows;  // by tile_cols is what a vector core dequantises at a time
  uint32_t phases;        // enum w4a16_phases
  uint32_t zeros;         // enum w4a16_zeros
  uint32_t nibbles;       // TYPE_S4 or TYPE_U4
  uint32_t out_f32;
} w4a16_args_t;

#endif
