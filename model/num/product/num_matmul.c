// SPDX-License-Identifier: Apache-2.0
#include "num/product/num_matmul.h"

#include <math.h>

#include "num/num_isa.h"
#include "num/product/num_matmul_isa.h"

// Elements of a row of C kept at hand by the portable kernel while k goes by.
enum { STRIP = 64 };

void num_matmul_ref(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *c,
                    size_t ldc, bool accumulate) {
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      float acc = accumulate ? c[i * ldc + j] : 0.0f;
      for (size_t p = 0; p < k; ++p) {
        acc = fmaf(a[i * lda + p], b[p * ldb + j], acc);
      }
      c[i * ldc + j] = acc;
    }
  }
}

// acc[j] += sum over p of a[p] * b[p][j], j < width.
static void portable_strip(size_t width, size_t k, const float *restrict a, const float *restrict b, size_t ldb,
                           float acc[restrict STRIP]) {
  for (size_t p = 0; p < k; ++p) {
    for (size_t j = 0; j < width; ++j) {
      acc[j] = fmaf(a[p], b[p * ldb + j], acc[j]);
    }
  }
}

// The chains in another order of loops, so that a compiler whose baseline has an FMA
// instruction can put different j into vector lanes.
static void matmul_portable(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb,
                            float *c, size_t ldc, bool accumulate) {
  for (size_t j = 0; j < n; j += STRIP) {
    const size_t width = n - j < STRIP ? n - j : STRIP;
    for (size_t i = 0; i < m; ++i) {
      float *c_strip = c + i * ldc + j;
      float acc[STRIP];
      for (size_t x = 0; x < width; ++x) {
        acc[x] = accumulate ? c_strip[x] : 0.0f;
      }
      portable_strip(width, k, a + i * lda, b + j, ldb, acc);
      for (size_t x = 0; x < width; ++x) {
        c_strip[x] = acc[x];
      }
    }
  }
}

num_matmul_fn *num_matmul_select(num_isa_t isa) {
#if NUM_HAVE_X86
  if ((isa == NUM_ISA_AVX512 || isa == NUM_ISA_AUTO) && num_host_has_avx512()) {
    return num_matmul_avx512;
  }
  if ((isa == NUM_ISA_AVX2 || isa == NUM_ISA_AUTO) && num_host_has_avx2()) {
    return num_matmul_avx2;
  }
#endif
  return isa == NUM_ISA_PORTABLE || isa == NUM_ISA_AUTO ? matmul_portable : NULL;
}
