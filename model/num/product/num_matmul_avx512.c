// C in tiles of 12 rows by 2 vectors of 16: 24 accumulators, 2 vectors of B and 1 broadcast of A
// fill the 32 registers, and 24 independent chains hide the latency of the FMA.
//
//   n  0               16              32
//      +---------------+---------------+--
//    0 | acc[0][0]     | acc[0][1]     |       for each p: load B[p][0..31] once,
//    1 | acc[1][0]     | acc[1][1]     |       broadcast A[i][p], 24 fma
//      |  ...          |               |
//   12 +---------------+---------------+--
//
// Ragged columns are masked lanes (never stored), ragged rows a smaller tile.
// SPDX-License-Identifier: Apache-2.0
#include "num/num_isa.h"
#include "num/product/num_matmul_isa.h"

#if NUM_HAVE_X86
#define TARGET NUM_TARGET_AVX512
enum { ROWS = 12, VECTORS = 2, LANES = 16 };
#include "num/product/num_matmul_blocks.h"

// rows and vectors are constants at each call, so that the loops over them unroll completely and
// acc becomes registers.
TARGET NUM_INLINE void tile(const int rows, const int vectors, const tile_t t) {
  const __mmask16 last = (__mmask16)(0xffffu >> (LANES - t.last));
  __m512 acc[ROWS][VECTORS];
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const __mmask16 lanes = v == vectors - 1 ? last : (__mmask16)0xffff;
      const float *c = t.c + (size_t)i * t.ldc + LANES * v;
      acc[i][v] = t.accumulate ? _mm512_maskz_loadu_ps(lanes, c) : _mm512_setzero_ps();
    }
  }
  const float *a = t.a;
  const float *b = t.b;
  for (size_t p = 0; p < t.k; ++p) {
    __m512 bv[VECTORS];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const __mmask16 lanes = v == vectors - 1 ? last : (__mmask16)0xffff;
      bv[v] = _mm512_maskz_loadu_ps(lanes, b + LANES * v);
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; ++i) {
      const __m512 av = _mm512_set1_ps(a[(size_t)i * t.lda]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        acc[i][v] = _mm512_fmadd_ps(av, bv[v], acc[i][v]);
      }
    }
    prefetch_next(b);
    a++;
    b += t.ldb;
  }
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const __mmask16 lanes = v == vectors - 1 ? last : (__mmask16)0xffff;
      _mm512_mask_storeu_ps(t.c + (size_t)i * t.ldc + LANES * v, lanes, acc[i][v]);
    }
  }
}

TARGET NUM_INLINE void tile_rows(size_t rows, const int vectors, const tile_t t) {
  // clang-format off
  switch (rows) {
    case 12: tile(12, vectors, t); break;
    case 11: tile(11, vectors, t); break;
    case 10: tile(10, vectors, t); break;
    case 9: tile(9, vectors, t); break;
    case 8: tile(8, vectors, t); break;
    case 7: tile(7, vectors, t); break;
    case 6: tile(6, vectors, t); break;
    case 5: tile(5, vectors, t); break;
    case 4: tile(4, vectors, t); break;
    case 3: tile(3, vectors, t); break;
    case 2: tile(2, vectors, t); break;
    case 1: tile(1, vectors, t); break;
    default: break;
  }
  // clang-format on
}

TARGET
static void one_vector(size_t rows, const tile_t *t) { tile_rows(rows, 1, *t); }

TARGET
static void two_vectors(size_t rows, const tile_t *t) { tile_rows(rows, 2, *t); }

TARGET
static void tile_any(size_t rows, size_t columns, const tile_t *t) {
  if (columns > LANES) {
    two_vectors(rows, t);
  } else {
    one_vector(rows, t);
  }
}

void num_matmul_avx512(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *c,
                       size_t ldc, bool accumulate) {
  all_blocks(m, n, k, a, lda, b, ldb, c, ldc, accumulate);
}

#else
typedef int num_matmul_avx512_unused_t;  // ISO C wants a declaration in each file
#endif
