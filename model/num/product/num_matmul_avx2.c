// C in tiles of 6 rows by 2 vectors of 8: 12 accumulators, 2 vectors of B and 1 broadcast of A in
// the 16 registers. Otherwise as num_matmul_avx512.c.
// SPDX-License-Identifier: Apache-2.0
#include "num/num_isa.h"
#include "num/product/num_matmul_isa.h"

#if NUM_HAVE_X86
#define TARGET NUM_TARGET_AVX2
enum { ROWS = 6, VECTORS = 2, LANES = 8 };
#include "num/product/num_matmul_blocks.h"

// All ones in the first n lanes.
TARGET NUM_INLINE __m256i first_lanes(size_t n) {
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), index);
}

// rows, vectors and ragged are constants at each call, so that the loops over the first two unroll
// completely and acc becomes registers.
TARGET NUM_INLINE void tile(const int rows, const int vectors, const bool ragged, const tile_t t) {
  const __m256i lanes = first_lanes(t.last);
  __m256 acc[ROWS][VECTORS];
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const float *c = t.c + (size_t)i * t.ldc + LANES * v;
      const bool masked = ragged && v == vectors - 1;
      acc[i][v] = !t.accumulate ? _mm256_setzero_ps() : masked ? _mm256_maskload_ps(c, lanes) : _mm256_loadu_ps(c);
    }
  }
  const float *a = t.a;
  const float *b = t.b;
  for (size_t p = 0; p < t.k; ++p) {
    __m256 bv[VECTORS];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const bool masked = ragged && v == vectors - 1;
      bv[v] = masked ? _mm256_maskload_ps(b + LANES * v, lanes) : _mm256_loadu_ps(b + LANES * v);
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
      const __m256 av = _mm256_set1_ps(a[(size_t)i * t.lda]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        acc[i][v] = _mm256_fmadd_ps(av, bv[v], acc[i][v]);
      }
    }
    prefetch_next(b);
    a++;
    b += t.ldb;
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      float *c = t.c + (size_t)i * t.ldc + LANES * v;
      if (ragged && v == vectors - 1) {
        _mm256_maskstore_ps(c, lanes, acc[i][v]);
      } else {
        _mm256_storeu_ps(c, acc[i][v]);
      }
    }
  }
}

TARGET NUM_INLINE void tile_rows(size_t rows, const int vectors, const bool ragged, const tile_t t) {
  // clang-format off
  switch (rows) {
    case 6: tile(6, vectors, ragged, t); break;
    case 5: tile(5, vectors, ragged, t); break;
    case 4: tile(4, vectors, ragged, t); break;
    case 3: tile(3, vectors, ragged, t); break;
    case 2: tile(2, vectors, ragged, t); break;
    case 1: tile(1, vectors, ragged, t); break;
    default: break;
  }
  // clang-format on
}

TARGET
static void two_full(size_t rows, const tile_t *t) { tile_rows(rows, 2, false, *t); }

TARGET
static void two_ragged(size_t rows, const tile_t *t) { tile_rows(rows, 2, true, *t); }

TARGET
static void one_ragged(size_t rows, const tile_t *t) { tile_rows(rows, 1, true, *t); }

TARGET
static void tile_any(size_t rows, size_t columns, const tile_t *t) {
  if (columns == TILE_COLUMNS) {
    two_full(rows, t);
  } else if (columns > LANES) {
    two_ragged(rows, t);
  } else {
    one_ragged(rows, t);
  }
}

void num_matmul_avx2(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *c,
                     size_t ldc, bool accumulate) {
  all_blocks(m, n, k, a, lda, b, ldb, c, ldc, accumulate);
}

#else
typedef int num_matmul_avx2_unused_t;  // ISO C wants a declaration in each file
#endif
