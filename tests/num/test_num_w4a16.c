// W4A16: rounding once, from FP64 and by a fused multiply-add; dequantised weights by every way that
// the kernels take; products in slices; real data.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/golden/num_w4a16.h"
#include "num_test.h"

enum { FINITE = 0x7c00 };  // FP16 bits from here on are infinity and NaN

// The nearest of all FP16 numbers, ties to even, by a search over them: 65536 stands for infinity.
static num_fp16_t nearest(double x) {
  const num_fp16_t sign = signbit(x) ? 0x8000 : 0;
  const double size = fabs(x);
  unsigned low = 0;
  unsigned high = FINITE;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    if ((double)num_fp16_to_f32((num_fp16_t)middle) <= size) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const double below = (double)num_fp16_to_f32((num_fp16_t)low);
  const double above = high == FINITE ? 65536.0 : (double)num_fp16_to_f32((num_fp16_t)high);
  const double to_below = size - below;  // exact: they are near each other
  const double to_above = above - size;
  const bool up = size > 65536.0 || to_above < to_below || (to_above == to_below && low % 2 == 1);
  return (num_fp16_t)(sign | (up ? high : low));
}

static void check_f64(double x) {
  CHECK(num_fp16_from_f64(x) == nearest(x), "%a: %04x, not %04x", x, num_fp16_from_f64(x), nearest(x));
}

// Every number, every tie, and the nearest FP64s on both sides of either.
TEST(from_f64) {
  for (unsigned bits = 0; bits < FINITE; ++bits) {
    const double x = (double)num_fp16_to_f32((num_fp16_t)bits);
    const double next = bits + 1 == FINITE ? 65536.0 : (double)num_fp16_to_f32((num_fp16_t)(bits + 1));
    const double places[] = {x, (x + next) / 2};
    for (size_t i = 0; i < 2; ++i) {
      for (int sign = -1; sign <= 1; sign += 2) {
        check_f64(sign * places[i]);
        check_f64(sign * nextafter(places[i], 1e9));
        check_f64(sign * nextafter(places[i], -1));
        check_f64(sign * places[i] * (1 + 0x1p-26));
        check_f64(sign * places[i] * (1 - 0x1p-26));
      }
    }
  }
  assert_int_equal(num_fp16_from_f64(INFINITY), 0x7c00);
  assert_int_equal(num_fp16_from_f64(-1e300), 0xfc00);
  assert_int_equal(num_fp16_from_f64(-1e-300), 0x8000);
  assert_true((num_fp16_from_f64(NAN) & 0x7fff) > 0x7c00);
}

// Sums that FP64 cannot hold: a tie of FP16, and something 2^-90 of it beside.
TEST(fma_rounds_once) {
  const float tie = 1 + 0x1p-11f;
  assert_int_equal(num_fp16_fma(tie, 1, 0), 0x3c00);
  assert_int_equal(num_fp16_fma(tie, 1, 0x1p-90f), 0x3c01);
  assert_int_equal(num_fp16_fma(tie, 1, -0x1p-90f), 0x3c00);
  assert_int_equal(num_fp16_fma(-tie, 1, -0x1p-90f), 0xbc01);
  assert_int_equal(num_fp16_fma(3 * 0x1p-12f, 0x1p-13f, 0x1p-100f), 2);  // subnormal: 1.5 of the last
  assert_int_equal(num_fp16_fma(0x1p-90f, 0x1p-50f, tie + 0x1p-10f), 0x3c02);
  num_rng_t rng;
  num_rng_seed(&rng, 77);
  for (int i = 0; i < 1000000; ++i) {  // 24 x 11 bits and 22: FP64 has room
    const float a = (float)(int)(random_u32(&rng) % 31) - 15;
    const float b = num_fp16_to_f32((num_fp16_t)(random_u32(&rng) % FINITE));
    const float c = b * num_fp16_to_f32((num_fp16_t)(random_u32(&rng) % 0x5000));
    CHECK(num_fp16_fma(a, b, -c) == nearest((double)a * (double)b - (double)c), "fma(%a, %a, %a)", (double)a, (double)b,
          -(double)c);
  }
}

// ---- Weights ----

// In FP16, as the vector cores do it: each operation rounded.
static num_fp16_t by_half(int w, num_fp16_t scale, num_fp16_t zero) {
  const double difference = (double)w - (double)num_fp16_to_f32(zero);
  return nearest((double)num_fp16_to_f32(scale) * (double)num_fp16_to_f32(nearest(difference)));
}

static num_fp16_t by_fma(int w, num_fp16_t scale, num_fp16_t zero) {
  const float s = num_fp16_to_f32(scale);
  const float product = s * num_fp16_to_f32(zero);  // of 22 bits
  return num_fp16_fma((float)w, s, -product);
}

static void check_weight(int w, num_fp16_t scale, num_fp16_t zero) {
  const num_fp16_t want = nearest((double)num_fp16_to_f32(scale) * ((double)w - (double)num_fp16_to_f32(zero)));
  CHECK(num_w4_value(w, scale, zero) == want, "%d, scale %04x, zero %04x: %04x, not %04x", w, scale, zero,
        num_w4_value(w, scale, zero), want);
  CHECK((scale & 0x8000) != 0 || scale == 0 || by_fma(w, scale, zero) == want, "%d, %04x, %04x: by fma %04x", w, scale,
        zero, by_fma(w, scale, zero));
  const bool is_unsigned = w > 7;
  CHECK(!num_w4_half_zero(zero, is_unsigned) || by_half(w, scale, zero) == want,
        "%d, %04x, %04x: by halves %04x, not %04x", w, scale, zero, by_half(w, scale, zero), want);
}

// All zero points, with every nibble of both kinds and some scales; all scales with some zero points.
TEST(weights) {
  num_rng_t rng;
  num_rng_seed(&rng, 4);
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7fff) >= FINITE) {
      continue;
    }
    const num_fp16_t other = (num_fp16_t)(random_u32(&rng) % FINITE | (random_u32(&rng) & 0x8000));
    const num_fp16_t whole = num_fp16_from_f32((float)(random_u32(&rng) % 33) / 2 - 8);
    for (int w = -8; w < 16; ++w) {
      check_weight(w, other, (num_fp16_t)bits);
      check_weight(w, 0x2345, (num_fp16_t)bits);
      check_weight(w, (num_fp16_t)bits, whole);
      check_weight(w, (num_fp16_t)bits, other);
    }
  }
}

// Sums that FP32 on the way would get wrong, so that the test above is not vacuous: one of these is enough.
TEST(fp32_would_not_do) {
  size_t wrong = 0;
  for (unsigned zero = 0x2c00; zero < 0x3000; ++zero) {
    for (unsigned scale = 0x3c00; scale < 0x4000; scale += 3) {
      const float s = num_fp16_to_f32((num_fp16_t)scale);
      const float z = num_fp16_to_f32((num_fp16_t)zero);
      wrong += num_fp16_from_f32(s * (7 - z)) != num_w4_value(7, (num_fp16_t)scale, (num_fp16_t)zero);
    }
  }
  printf("%zu of 350000 weights would be rounded twice\n", wrong);
  assert_true(wrong > 0);
}

TEST(half_zeros) {
  static const float yes[] = {0, -0.0f, 7, -8, 3.5f, 0x1p-6f, 15 + 0x1p-5f, -1000};
  static const float no[] = {0.1f, 0x1p-8f, 0x1p-24f, 3.001f, -20.01f, 0x1p-9f};
  for (size_t i = 0; i < ARRAY_LEN(yes); ++i) {
    CHECK(num_w4_half_zero(num_fp16_from_f32(yes[i]), false), "%g", (double)yes[i]);
  }
  for (size_t i = 0; i < ARRAY_LEN(no); ++i) {
    CHECK(!num_w4_half_zero(num_fp16_from_f32(no[i]), true), "%g", (double)no[i]);
  }
}

// Words of nibbles, groups, a missing zero.
TEST(dequantise) {
  enum { K = 12, N = 24, GROUP = 4 };
  uint32_t w[K * N / 8];
  num_fp16_t scale[K / GROUP * N];
  num_fp16_t zero[K / GROUP * N];
  num_fp16_t b[K * N];
  num_rng_t rng;
  num_rng_seed(&rng, 9);
  for (size_t i = 0; i < ARRAY_LEN(w); ++i) {
    w[i] = random_u32(&rng);
  }
  for (size_t i = 0; i < ARRAY_LEN(scale); ++i) {
    scale[i] = (num_fp16_t)(0x2000 + random_u32(&rng) % 0x1000);
    zero[i] = num_fp16_from_f32((float)(random_u32(&rng) % 16));
  }
  for (int kind = 0; kind < 4; ++kind) {
    const num_w4_t weights = {.k = K,
                              .n = N,
                              .group = GROUP,
                              .w = w,
                              .is_unsigned = kind % 2 == 1,
                              .scale = scale,
                              .zero = kind / 2 == 1 ? zero : NULL};
    num_w4_dequantise(&weights, b);
    for (size_t p = 0; p < K; ++p) {
      for (size_t j = 0; j < N; ++j) {
        int q = (int)(w[(p * N + j) / 8] >> (4 * (j % 8)) & 15);
        q -= kind % 2 == 0 && q > 7 ? 16 : 0;
        const size_t of = p / GROUP * N + j;
        const double z = kind / 2 == 1 ? (double)num_fp16_to_f32(zero[of]) : 0;
        assert_int_equal(b[p * N + j], nearest((double)num_fp16_to_f32(scale[of]) * (q - z)));
      }
    }
  }
}

// ---- Products ----

typedef struct product {
  size_t m, n, k;
  num_fp16_t *a, *b;
} product_t;

static product_t make(num_rng_t *rng, size_t m, size_t n, size_t k) {
  product_t p = {m, n, k, allocate(m * k, 2), allocate(k * n, 2)};
  for (size_t i = 0; i < m * k; ++i) {
    p.a[i] = num_fp16_from_f32((float)num_rng_normal(rng));
  }
  for (size_t i = 0; i < k * n; ++i) {
    p.b[i] = num_fp16_from_f32((float)num_rng_normal(rng));
  }
  return p;
}

static float in_slices(const product_t *p, size_t i, size_t j, size_t splits) {
  float c = 0;
  for (size_t s = 0; s < splits; ++s) {
    float sum = 0;
    for (size_t q = s * p->k / splits; q < (s + 1) * p->k / splits; ++q) {
      sum = fmaf(num_fp16_to_f32(p->a[i * p->k + q]), num_fp16_to_f32(p->b[q * p->n + j]), sum);
    }
    c = s == 0 ? sum : c + sum;
  }
  return c;
}

TEST(products) {
  num_rng_t rng;
  num_rng_seed(&rng, 5);
  static const size_t splits[] = {1, 2, 3, 4, 7, 16};
  const product_t p = make(&rng, 5, 70, 333);
  float *c = allocate(p.m * p.n, sizeof *c);
  double *golden = allocate(p.m * p.n, sizeof *golden);
  for (size_t s = 0; s < ARRAY_LEN(splits); ++s) {
    // By parts of columns, as threads do it.
    assert_true(num_half_matmul(NUM_HALF_FP16, p.m, p.n, p.k, splits[s], p.a, p.b, 0, 33, c));
    assert_true(num_half_matmul(NUM_HALF_FP16, p.m, p.n, p.k, splits[s], p.a, p.b, 33, p.n, c));
    for (size_t i = 0; i < p.m; ++i) {
      for (size_t j = 0; j < p.n; ++j) {
        assert_true(same_f32(c[i * p.n + j], in_slices(&p, i, j, splits[s])));
      }
    }
  }
  assert_true(num_half_matmul_golden(NUM_HALF_FP16, p.m, p.n, p.k, p.a, p.b, 0, p.n, golden));
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t j = 0; j < p.n; ++j) {
      long double sum = 0;
      for (size_t q = 0; q < p.k; ++q) {
        sum += (long double)num_fp16_to_f32(p.a[i * p.k + q]) * (long double)num_fp16_to_f32(p.b[q * p.n + j]);
      }
      assert_true(fabsl(sum - (long double)golden[i * p.n + j]) < 1e-12L);
    }
  }
  free(c);
  free(golden);
  free(p.a);
  free(p.b);
}

// A slice is never empty and they cover k.
TEST(slices) {
  for (size_t k = 1; k < 200; ++k) {
    for (size_t splits = 1; splits <= 64 && splits <= k; ++splits) {
      assert_int_equal(num_w4_slice(k, splits, 0), 0);
      assert_int_equal(num_w4_slice(k, splits, splits), k);
      for (size_t i = 0; i < splits; ++i) {
        assert_true(num_w4_slice(k, splits, i) < num_w4_slice(k, splits, i + 1));
      }
    }
  }
}

// ---- Real data ----

static void *read_payload(const char *name, size_t bytes) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", DATA_DIR, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  void *data = allocate(bytes, 1);
  assert_int_equal(fseek(file, -(long)bytes, SEEK_END), 0);
  assert_int_equal(fread(data, 1, bytes, file), bytes);
  fclose(file);
  return data;
}

// The shipped weights: dequantised they are near those they were made of, and the product's errors
// are those that rounding to FP16, and FP32 sums, have.
TEST(real_data) {
  enum { M = 32, K = 4096, N = 256, GROUP = 128 };
  num_fp16_t *a = read_payload("w4a16_real_a.npy", 2 * M * K);
  uint32_t *w = read_payload("w4a16_real_w.npy", K * N / 2);
  num_fp16_t *scale = read_payload("w4a16_real_scale.npy", 2 * K / GROUP * N);
  num_fp16_t *original = read_payload("w4a16_real_w_fp16.npy", 2 * K * N);
  num_fp16_t *b = allocate(K * N, sizeof *b);
  float *c = allocate(M * N, sizeof *c);
  double *golden = allocate(M * N, sizeof *golden);
  const num_w4_t weights = {.k = K, .n = N, .group = GROUP, .w = w, .scale = scale};
  num_w4_dequantise(&weights, b);
  double worst = 0;
  for (size_t i = 0; i < (size_t)K * N; ++i) {
    const double step = (double)num_fp16_to_f32(scale[i / N / GROUP * N + i % N]);
    const double off = fabs((double)num_fp16_to_f32(b[i]) - (double)num_fp16_to_f32(original[i]));
    worst = fmax(worst, off / step);
  }
  printf("largest distance from the FP16 weights: %.3f of a scale\n", worst);
  assert_true(worst < 0.6);
  assert_true(num_half_matmul_golden(NUM_HALF_FP16, M, N, K, a, b, 0, N, golden));
  for (size_t splits = 1; splits <= 16; splits *= 2) {
    double f32 = 0;
    double f16 = 0;
    double all = 0;
    assert_true(num_half_matmul(NUM_HALF_FP16, M, N, K, splits, a, b, 0, N, c));
    for (size_t i = 0; i < (size_t)M * N; ++i) {
      f32 += pow((double)c[i] - golden[i], 2);
      f16 += pow((double)num_fp16_to_f32(num_fp16_from_f32(c[i])) - golden[i], 2);
      all += golden[i] * golden[i];
    }
    printf("S %zu: FP32 %.2e, FP16 %.3e\n", splits, sqrt(f32 / all), sqrt(f16 / all));
    assert_true(sqrt(f32 / all) < 2e-6 && sqrt(f16 / all) < 2.5e-4 && sqrt(f16 / all) > 1.5e-4);
  }
  free(a);
  free(w);
  free(scale);
  free(original);
  free(b);
  free(c);
  free(golden);
}
