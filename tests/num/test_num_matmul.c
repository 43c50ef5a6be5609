// Every kernel this host has against the three plain loops, bit for bit.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <time.h>

#include "num/product/num_matmul.h"
#include "num_test.h"

typedef struct {
  num_isa_t isa;
  const char *name;
} isa_t;

static const isa_t ISAS[] = {
    {NUM_ISA_AUTO, "auto"},
    {NUM_ISA_PORTABLE, "portable"},
    {NUM_ISA_AVX2, "avx2"},
    {NUM_ISA_AVX512, "avx512"},
};

typedef enum { NORMAL, TINY, MIXED, VALUE_KINDS } values_t;

// NORMAL: ordinary numbers. TINY: products among the subnormals and below. MIXED: signed zeros,
// opposite numbers (sums that cancel exactly), subnormals and numbers whose sums overflow.
static float random_value(num_rng_t *rng, values_t kind) {
  const float normal = (float)num_rng_normal(rng);
  static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0x1p-140f, -0x1p-149f, 0x1p63f, -0x1p64f};
  switch (kind) {
    case TINY:
      return normal * 0x1p-70f;
    case MIXED:
      return special[random_u32(rng) % ARRAY_LEN(special)];
    default:
      return normal;
  }
}

static void fill(float *x, size_t n, num_rng_t *rng, values_t kind) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = random_value(rng, kind);
  }
}

typedef struct {
  size_t m, n, k;
  size_t lda, ldb, ldc;
} shape_t;

// One shape on every kernel, with and without accumulation. The gaps between the rows of C are
// compared as well: nobody may write there.
static void check_shape(shape_t s, num_rng_t *rng, values_t kind) {
  float *a = allocate(s.m * s.lda, sizeof *a);
  float *b = allocate(s.k * s.ldb, sizeof *b);
  float *start = allocate(s.m * s.ldc, sizeof *start);
  float *expected = allocate(s.m * s.ldc, sizeof *expected);
  float *c = allocate(s.m * s.ldc, sizeof *c);
  fill(a, s.m * s.lda, rng, kind);
  fill(b, s.k * s.ldb, rng, kind);
  fill(start, s.m * s.ldc, rng, kind);
  for (int accumulate = 0; accumulate < 2; ++accumulate) {
    memcpy(expected, start, s.m * s.ldc * sizeof *c);
    num_matmul_ref(s.m, s.n, s.k, a, s.lda, b, s.ldb, expected, s.ldc, accumulate != 0);
    for (size_t i = 0; i < ARRAY_LEN(ISAS); ++i) {
      num_matmul_fn *matmul = num_matmul_select(ISAS[i].isa);
      if (matmul == NULL) {
        continue;
      }
      memcpy(c, start, s.m * s.ldc * sizeof *c);
      matmul(s.m, s.n, s.k, a, s.lda, b, s.ldb, c, s.ldc, accumulate != 0);
      for (size_t j = 0; j < s.m * s.ldc; ++j) {
        CHECK(same_f32(c[j], expected[j]),
              "%s, m %zu n %zu k %zu, accumulate %d, C[%zu][%zu]: %a, "
              "expected %a",
              ISAS[i].name, s.m, s.n, s.k, accumulate, j / s.ldc, j % s.ldc, (double)c[j], (double)expected[j]);
      }
    }
  }
  free(a);
  free(b);
  free(start);
  free(expected);
  free(c);
}

TEST(ragged_grid) {
  static const size_t ms[] = {0, 1, 2, 5, 6, 7, 11, 12, 13, 23};
  static const size_t ns[] = {0, 1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 65};
  static const size_t ks[] = {0, 1, 2, 3, 17};
  num_rng_t rng;
  num_rng_seed(&rng, 4);
  size_t count = 0;
  for (size_t i = 0; i < ARRAY_LEN(ms); ++i) {
    for (size_t j = 0; j < ARRAY_LEN(ns); ++j) {
      for (size_t p = 0; p < ARRAY_LEN(ks); ++p) {
        const size_t gap = count % 3;  // strides: tight, and wider by one or two
        const shape_t s = {ms[i], ns[j], ks[p], ks[p] + gap, ns[j] + 2 * gap, ns[j] + gap};
        check_shape(s, &rng, (values_t)(count % VALUE_KINDS));
        count++;
      }
    }
  }
  printf("%zu shapes, seed 4\n", count);
}

// Long enough for every cut of k and n inside of the kernels.
TEST(long_shapes) {
  static const shape_t shapes[] = {
      {3, 33, 127, 127, 33, 33},    {13, 40, 128, 130, 41, 40},   {5, 16, 129, 129, 16, 20},
      {2, 32, 257, 257, 32, 32},    {1, 1, 1000, 1000, 1, 1},     {2, 1025, 130, 130, 1025, 1030},
      {7, 512, 64, 64, 512, 512},   {4, 513, 300, 300, 520, 513}, {25, 511, 3, 3, 511, 511},
      {128, 128, 96, 96, 128, 128},
  };
  num_rng_t rng;
  num_rng_seed(&rng, 5);
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    for (int kind = 0; kind < VALUE_KINDS; ++kind) {
      check_shape(shapes[i], &rng, (values_t)kind);
    }
  }
}

// The chain starts from +0 and has exactly k links: a -0 product alone gives +0, a C of -0 stays -0
// without links, and one more link of +0 * x would turn -0 into +0.
TEST(zero_signs) {
  const float a = -0.0f;
  const float b = 1.0f;
  for (size_t i = 0; i < ARRAY_LEN(ISAS); ++i) {
    num_matmul_fn *matmul = num_matmul_select(ISAS[i].isa);
    if (matmul == NULL) {
      continue;
    }
    float c = -0.0f;
    matmul(1, 1, 1, &a, 1, &b, 1, &c, 1, true);
    CHECK(num_f32_bits(c) == 0x80000000u, "%s: -0 + -0", ISAS[i].name);
    matmul(1, 1, 0, &a, 1, &b, 1, &c, 1, true);
    CHECK(num_f32_bits(c) == 0x80000000u, "%s: k = 0, accumulate", ISAS[i].name);
    matmul(1, 1, 1, &a, 1, &b, 1, &c, 1, false);
    CHECK(num_f32_bits(c) == 0u, "%s: +0 + -0", ISAS[i].name);
    c = 5.0f;
    matmul(1, 1, 0, &a, 1, &b, 1, &c, 1, false);
    CHECK(num_f32_bits(c) == 0u, "%s: k = 0", ISAS[i].name);
  }
}

TEST(fused_and_in_order) {
  // (1 + e)(1 - e) - 1 = -e^2 survives only in a fused operation; 2^30 + 1 - 2^30 only in one
  // order.
  const float e = 0x1p-13f;
  const float a[] = {-1.0f, 1.0f + e, 0x1p30f, 1.0f, -0x1p30f};
  const float b[] = {1.0f, 1.0f - e, 1.0f, 1.0f, 1.0f};
  for (size_t i = 0; i < ARRAY_LEN(ISAS); ++i) {
    num_matmul_fn *matmul = num_matmul_select(ISAS[i].isa);
    if (matmul == NULL) {
      continue;
    }
    float c = 0.0f;
    matmul(1, 1, 2, a, 2, b, 1, &c, 1, false);
    CHECK(c == -0x1p-26f, "%s: not fused, %a", ISAS[i].name, (double)c);
    matmul(1, 1, 3, a + 2, 3, b + 2, 1, &c, 1, false);
    CHECK(c == 0.0f, "%s: not in order, %a", ISAS[i].name, (double)c);
  }
}

TEST(selection) {
  assert_non_null(num_matmul_select(NUM_ISA_AUTO));
  assert_non_null(num_matmul_select(NUM_ISA_PORTABLE));
  for (size_t i = 0; i < ARRAY_LEN(ISAS); ++i) {
    printf("%s: %s\n", ISAS[i].name, num_matmul_select(ISAS[i].isa) != NULL ? "yes" : "no");
  }
}

TEST(speed) {
  static const shape_t shapes[] = {
      {128, 128, 128, 128, 128, 128},
      {128, 512, 512, 512, 512, 512},
      {128, 512, 8192, 8192, 512, 512},
  };
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    const shape_t s = shapes[i];
    const double operations = 2.0 * (double)(s.m * s.n * s.k);
    float *a = allocate(s.m * s.lda, sizeof *a);
    float *b = allocate(s.k * s.ldb, sizeof *b);
    float *c = allocate(s.m * s.ldc, sizeof *c);
    for (size_t j = 0; j < s.m * s.lda; ++j) {
      a[j] = (float)(j % 17);
    }
    for (size_t j = 0; j < s.k * s.ldb; ++j) {
      b[j] = (float)(j % 19);
    }
    for (size_t j = 0; j < ARRAY_LEN(ISAS); ++j) {
      num_matmul_fn *matmul = num_matmul_select(ISAS[j].isa);
      if (matmul == NULL || (ISAS[j].isa == NUM_ISA_PORTABLE && operations > 1e8)) {
        continue;  // the portable one may take minutes
      }
      const double budget = ISAS[j].isa == NUM_ISA_PORTABLE ? 1e7 : 4e9;
      int rounds = 0;
      const clock_t start = clock();
      do {
        matmul(s.m, s.n, s.k, a, s.lda, b, s.ldb, c, s.ldc, false);
        rounds++;
      } while (rounds * operations < budget);
      const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
      printf("m %zu n %zu k %zu %s: %.1f GFLOPS\n", s.m, s.n, s.k, ISAS[j].name, 1e-9 * rounds * operations / seconds);
    }
    free(a);
    free(b);
    free(c);
  }
}
