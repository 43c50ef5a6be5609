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
// B is cut into blocks of K_RUN by N_RUN (256 KB) that stay in L2 while all of A goes by. The
// chains go on through C from one run of k to the next, which is exact. Ragged columns are masked
// lanes (never stored), ragged rows a smaller tile.
// SPDX-License-Identifier: Apache-2.0
#include "num/num_isa.h"
#include "num/num_matmul_isa.h"

#if NUM_HAVE_X86
#include <immintrin.h>
#include <stdint.h>

enum { ROWS = 12, VECTORS = 2, LANES = 16, K_RUN = 128, N_RUN = 512 };

// The part of a row of B that one tile uses: the next tile's begins here.
enum { TILE_BYTES = VECTORS * LANES * sizeof(float), LINE_BYTES = 64 };

typedef struct {
  size_t k;
  const float *a;
  size_t lda;
  const float *b;
  size_t ldb;
  float *c;
  size_t ldc;
  __mmask16 last;  // lanes of the last vector that exist
  bool accumulate;
} tile_t;

// The first strip of rows meets B outside of L2, in short pieces far apart, which the hardware does
// not foresee; asking for the next tile's piece while this one is used gains 40 % for large k. The
// address may lie beyond B: a prefetch does not fault.
NUM_TARGET_AVX512 NUM_INLINE void prefetch(uintptr_t address) {
  _mm_prefetch((const char *)address, _MM_HINT_T0);
}

// rows and vectors are constants at each call, so that the loops over them unroll completely and
// acc becomes registers.
NUM_TARGET_AVX512 NUM_INLINE void tile(const int rows, const int vectors, const tile_t t) {
  __m512 acc[ROWS][VECTORS];
#pragma GCC unroll 12
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      const __mmask16 lanes = v == vectors - 1 ? t.last : (__mmask16)0xffff;
      const float *c = t.c + (size_t)i * t.ldc + LANES * v;
      acc[i][v] = t.accumulate ? _mm512_maskz_loadu_ps(lanes, c) : _mm512_setzero_ps();
    }
  }
  const float *a = t.a;
  const float *b = t.b;
  for (size_t p = 0; p < t.k; p++) {
    __m512 bv[VECTORS];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      const __mmask16 lanes = v == vectors - 1 ? t.last : (__mmask16)0xffff;
      bv[v] = _mm512_maskz_loadu_ps(lanes, b + LANES * v);
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) {
      const __m512 av = _mm512_set1_ps(a[(size_t)i * t.lda]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; v++) {
        acc[i][v] = _mm512_fmadd_ps(av, bv[v], acc[i][v]);
      }
    }
    prefetch((uintptr_t)(const void *)b + TILE_BYTES);
    prefetch((uintptr_t)(const void *)b + TILE_BYTES + LINE_BYTES);
    a++;
    b += t.ldb;
  }
#pragma GCC unroll 12
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      const __mmask16 lanes = v == vectors - 1 ? t.last : (__mmask16)0xffff;
      _mm512_mask_storeu_ps(t.c + (size_t)i * t.ldc + LANES * v, lanes, acc[i][v]);
    }
  }
}

NUM_TARGET_AVX512 NUM_INLINE void tile_rows(size_t rows, const int vectors, const tile_t t) {
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

NUM_TARGET_AVX512
static void one_vector(size_t rows, const tile_t *t) { tile_rows(rows, 1, *t); }

NUM_TARGET_AVX512
static void two_vectors(size_t rows, const tile_t *t) { tile_rows(rows, 2, *t); }

// One block of B [k <= K_RUN, n <= N_RUN] against all of A.
NUM_TARGET_AVX512
static void block(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                  size_t ldb, float *c, size_t ldc, bool accumulate) {
  for (size_t i = 0; i < m; i += ROWS) {
    const size_t rows = m - i < ROWS ? m - i : ROWS;
    for (size_t j = 0; j < n; j += VECTORS * LANES) {
      const size_t width = n - j < VECTORS * LANES ? n - j : VECTORS * LANES;
      const size_t last = width > LANES ? width - LANES : width;
      const __mmask16 lanes = (__mmask16)(0xffffu >> (LANES - last));
      const tile_t t = {k, a + i * lda, lda, b + j, ldb, c + i * ldc + j, ldc, lanes, accumulate};
      if (width > LANES) {
        two_vectors(rows, &t);
      } else {
        one_vector(rows, &t);
      }
    }
  }
}

void num_matmul_avx512(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b,
                       size_t ldb, float *c, size_t ldc, bool accumulate) {
  for (size_t j = 0; j < n; j += N_RUN) {
    const size_t width = n - j < N_RUN ? n - j : N_RUN;
    size_t p = 0;
    do {  // at least once: k = 0 still clears C
      const size_t run = k - p < K_RUN ? k - p : K_RUN;
      block(m, width, run, a + p, lda, b + p * ldb + j, ldb, c + j, ldc, accumulate || p > 0);
      p += run;
    } while (p < k);
  }
}

#else
typedef int num_matmul_avx512_unused_t;  // ISO C wants a declaration in each file
#endif
