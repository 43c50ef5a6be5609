// Internal to num_matmul_avx2.c and num_matmul_avx512.c: their loops over blocks and tiles.
//
// B is cut into blocks of K_RUN by N_RUN (256 KB) that stay in L2 while all of A goes by. High
// ones: C is read and written once for each. The chains go on through C from one run of k to the
// next, which is exact.
//
// Before it is included: TARGET, the instruction set as an attribute, and a tile's ROWS, VECTORS
// and LANES. After it: tile_any, which computes a tile.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_PRODUCT_NUM_MATMUL_BLOCKS_H
#define AMALGAM_NUM_PRODUCT_NUM_MATMUL_BLOCKS_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/num_isa.h"

enum { TILE_COLUMNS = VECTORS * LANES, K_RUN = 512, N_RUN = 128, LINE_BYTES = 64 };

typedef struct {
  size_t k;
  const float *a;
  size_t lda;
  const float *b;
  size_t ldb;
  float *c;
  size_t ldc;
  size_t last;  // lanes of the last vector that exist
  bool accumulate;
} tile_t;

// A tile of rows <= ROWS by columns <= TILE_COLUMNS.
static void tile_any(size_t rows, size_t columns, const tile_t *tile);

// The first strip of rows meets B outside of L2, in short pieces far apart, which the hardware does
// not foresee; asking for the next tile's piece of a row of B while this one is used gains 40 % for
// large k. The address may lie beyond B: a prefetch does not fault.
TARGET NUM_INLINE void prefetch_next(const float *b) {
  for (size_t line = 0; line < TILE_COLUMNS * sizeof *b; line += LINE_BYTES) {
    const uintptr_t address = (uintptr_t)(const void *)b + TILE_COLUMNS * sizeof *b + line;
    _mm_prefetch((const char *)address, _MM_HINT_T0);
  }
}

// One block of B [k <= K_RUN, n <= N_RUN] against all of A.
TARGET static void block(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *c,
                         size_t ldc, bool accumulate) {
  for (size_t i = 0; i < m; i += ROWS) {
    const size_t rows = m - i < ROWS ? m - i : ROWS;
    for (size_t j = 0; j < n; j += TILE_COLUMNS) {
      const size_t columns = n - j < TILE_COLUMNS ? n - j : TILE_COLUMNS;
      const size_t last = columns > LANES ? columns - LANES : columns;
      const tile_t t = {k, a + i * lda, lda, b + j, ldb, c + i * ldc + j, ldc, last, accumulate};
      tile_any(rows, columns, &t);
    }
  }
}

static void all_blocks(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *c,
                       size_t ldc, bool accumulate) {
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

#endif  // AMALGAM_NUM_PRODUCT_NUM_MATMUL_BLOCKS_H
