// Arguments of the matrix multiplication kernel (gemm), as the host lays them in global memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_GEMM_GEMM_ARGS_H
#define AMALGAM_SW_KERNELS_GEMM_GEMM_ARGS_H

#include <stdint.h>

// c = a x b on the cube cores. Products enter each FP32 sum with k ascending, as one chain of fused
// multiply-adds that starts at +0. AI core i of n takes the tiles i, i + n, ... of c.
enum {
  GEMM_MAX = 1 << 20,  // m, n and k each
  // Least size of the cube core's L1.
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
  uint32_t type;     // TYPE_BF16 or TYPE_F16, of gemm_tiles_s8 TYPE_S8
} gemm_args_t;

// Arguments of gemm_fp16, the same kernel built for FP16 results and tiles of a given width.
typedef struct gemm_fp16_args {
  gemm_args_t product;  // type is TYPE_F16, c of c_type
  uint32_t c_type;      // TYPE_F32, or TYPE_F16: cast on the way to memory, RNE
  uint32_t tile_cols;   // 0: by the kernel's own rule; else a multiple of 16 up to 256
} gemm_fp16_args_t;

// The layout of b in global memory.
enum gemm_layout {
  GEMM_ND,  // [k][n], rows b_pitch bytes apart
  GEMM_DN,  // [n][k], column-major: columns b_pitch bytes apart
  GEMM_NZ,  // strips of 16 columns, b_pitch bytes apart, k rows of 32 bytes each
  GEMM_LAYOUTS
};

enum { GEMM_MAX_SPLITS = 64, GEMM_MAX_TILE = 256, GEMM_MAX_SLOTS = 16, GEMM_MAX_DEPTH = 4096 };
enum { GEMM_MAX_PART = 16384 };  // elements of c: half of L0C

// Arguments of gemm_tiles. A unit is a tile of c over a slice of k; AI core i of n takes the units i,
// i + n, ... Slice i of k is floor(i k / splits) .. floor((i + 1) k / splits) - 1, one chain each.
typedef struct gemm_tiles_args {
  gemm_args_t product;  // c of c_type; b as layout says
  union {
    uint64_t partial;  // with several splits: [splits] of [m][n] FP32, partial_bytes apart, whose sums
    uint64_t scales;   // of gemm_tiles_s8: FP32 in the lower half of 8 bytes a column, four columns' bytes at a
                       // time; 0: c is S32, else FP16
  };
  uint64_t partial_bytes;  // ... the vector cores add in FP32, ascending, and cast to c, which has no gaps then
  uint32_t c_type;         // TYPE_F32, TYPE_F16 or TYPE_BF16; of gemm_tiles_s8 TYPE_S32 or TYPE_F16
  uint32_t layout;         // enum gemm_layout
  // Multiples of 16 up to GEMM_MAX_TILE; of gemm_tiles_s8 columns and depths, of 32, halves of a tile as well. A tile
  // of more than GEMM_MAX_PART elements is cut at the middle of its longer side, rounded up to 16; no part has more.
  uint32_t tile_rows, tile_cols;
  uint32_t a_depth, b_depth;  // k of a piece in L1, multiples of 16; b_depth divides a_depth
  uint32_t a_slots, b_slots;  // for pieces in L1, two at least, GEMM_MAX_SLOTS at most, kept included; of b
                              // as many as a_depth takes, where a tile has parts that share them
  uint32_t splits;            // 1 to GEMM_MAX_SPLITS, at most k
  uint32_t by_columns;        // tiles of c are taken: 0 beside, 1 below each other first,
  uint32_t band;              // ... so many of them, 1 or more, before those of the next row or column
  uint32_t kept;              // so many pieces of what those of a row (a) or column (b) have in common stay in
                              // L1 from tile to tile, in slots of their own; at most as many as a slice has in k
} gemm_tiles_args_t;

// gemm_tiles_s8 is gemm_tiles for 8-bit integers, in one slice: type is TYPE_S8. The last bytes of L1 are for scales.
enum {
  GEMM_SCALE_BYTES = 8,
  GEMM_SCALES_SLOT = GEMM_MAX_TILE * GEMM_SCALE_BYTES,
  GEMM_SCALES_L1 = 2 * GEMM_SCALES_SLOT
};

#endif
