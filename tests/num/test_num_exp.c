// exp32: the array form against the scalar one bit for bit, the scalar one against a long double
// exp.
//
//   test_num_exp             a few million inputs
//   test_num_exp exhaustive  all 2^32
//
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <time.h>

#include "num/num_exp.h"
#include "num_test.h"

enum { CHUNK = 4096 };

// num_exp32_n on the floats with bits first, first + step, ... against num_exp32.
static void check_array(uint64_t first, uint64_t step) {
  float x[CHUNK];
  float y[CHUNK];
  for (size_t i = 0; i < CHUNK; ++i) {
    x[i] = num_f32_from_bits((uint32_t)(first + i * step));
  }
  num_exp32_n(x, y, CHUNK);
  for (size_t i = 0; i < CHUNK; ++i) {
    const float expected = num_exp32(x[i]);
    CHECK(num_f32_bits(y[i]) == num_f32_bits(expected), "exp(%a): %a, expected %a", (double)x[i], (double)y[i],
          (double)expected);
  }
}

TEST(special_values) {
  const float x[] = {-INFINITY, INFINITY, 0.0f, -0.0f, 1.0f, 89.0f, -104.0f, NAN, -3.4e38f, 3.4e38f};
  const float expected[] = {0.0f, INFINITY, 1.0f, 1.0f, 0x1.5bf0a8p1f, INFINITY, 0.0f, NAN, 0.0f, INFINITY};
  float y[ARRAY_LEN(x)];
  num_exp32_n(x, y, ARRAY_LEN(x));
  for (size_t i = 0; i < ARRAY_LEN(x); ++i) {
    CHECK(same_f32(num_exp32(x[i]), expected[i]), "scalar, %a", (double)x[i]);
    CHECK(same_f32(y[i], expected[i]), "array, %a", (double)x[i]);
  }
}

// The definition allows any FP64 exp, rounded once; a long double one, rounded once, may differ
// only where the FP64 value sits on a boundary, which no sampled input does.
TEST(scalar_is_nearest) {
  num_rng_t rng;
  num_rng_seed(&rng, 2);
  for (int i = 0; i < 1000000; ++i) {
    const float x = (float)(195.0 * num_rng_uniform(&rng) - 105.0);
    const float expected = (float)expl((long double)x);
    CHECK(num_exp32(x) == expected, "exp(%a)", (double)x);
  }
}

TEST(array_sampled) {
  for (uint64_t i = 0; i < 256; ++i) {
    check_array(i * 4099, 1048573);  // over the whole range, prime step
  }
  // Around the ends: overflow, first subnormal result, last nonzero result, and 0.
  const float near[] = {88.72284f, -87.33654f, -103.97208f, 0.0f, 0x1p-25f, -0x1p-25f, -1.0f};
  for (size_t i = 0; i < ARRAY_LEN(near); ++i) {
    const uint64_t centre = num_f32_bits(near[i]) + (1ull << 32);
    for (uint64_t chunk = 0; chunk < 16; ++chunk) {
      check_array(centre + (chunk - 8) * CHUNK, 1);
    }
  }
  // Arguments as in attention: scores less their maximum.
  num_rng_t rng;
  num_rng_seed(&rng, 3);
  float x[CHUNK];
  float y[CHUNK];
  for (int round = 0; round < 256; ++round) {
    for (size_t i = 0; i < CHUNK; ++i) {
      x[i] = (float)(-30.0 * num_rng_uniform(&rng));
    }
    num_exp32_n(x, y, CHUNK);
    for (size_t i = 0; i < CHUNK; ++i) {
      CHECK(num_f32_bits(y[i]) == num_f32_bits(num_exp32(x[i])), "exp(%a)", (double)x[i]);
    }
  }
}

// The inputs whose exponential comes nearest to the middle between two FP32 (within 2^-48,
// found by exhaustive search): a shortened polynomial or a smaller margin gets these wrong first.
static const float HARDEST[] = {0x1.8d7cb6p-12f, 0x1.8053eep-11f, 0x1.01753ap-9f,   0x1.c1141cp-7f,  0x1.5ffc5cp-6f,
                                0x1.f613acp-4f,  0x1.eeffd8p-3f,  0x1.b78498p-1f,   0x1.cce332p+0f,  0x1.69a056p+1f,
                                0x1.172096p+2f,  0x1.48e1c4p+2f,  0x1.bae196p+2f,   0x1.f12cdcp+3f,  0x1.97f0f6p+4f,
                                0x1.060e1ep+6f,  0x1.112856p+6f,  -0x1.c1c4b8p-10f, -0x1.39771cp-8f, -0x1.548c34p-7f,
                                -0x1.6727d6p-4f, -0x1.cf6ab2p-3f, -0x1.c1cd9ap-2f,  -0x1.da035ep-2f, -0x1.edfb24p-1f,
                                -0x1.03d5bep+0f, -0x1.f9085ap+0f, -0x1.f02a66p+1f,  -0x1.7acc62p+3f, -0x1.b3f43cp+3f,
                                -0x1.6dc968p+5f};

TEST(array_hardest) {
  float y[ARRAY_LEN(HARDEST)];
  num_exp32_n(HARDEST, y, ARRAY_LEN(HARDEST));
  for (size_t i = 0; i < ARRAY_LEN(HARDEST); ++i) {
    CHECK(y[i] == num_exp32(HARDEST[i]), "array, exp(%a)", (double)HARDEST[i]);
    // 64 bits of significand are still enough to tell the two sides apart.
    CHECK(y[i] == (float)expl((long double)HARDEST[i]), "nearest, exp(%a)", (double)HARDEST[i]);
  }
}

TEST(array_lengths_and_in_place) {
  enum { MAX = 200 };
  for (size_t n = 0; n <= MAX; ++n) {
    float x[MAX + 2];
    float y[MAX + 2];
    for (size_t i = 0; i < MAX + 2; ++i) {
      x[i] = i % 7 == 3 ? -INFINITY : -0.37f * (float)i;
      y[i] = -1.0f;
    }
    num_exp32_n(x + 1, y + 1, n);
    for (size_t i = 0; i < MAX + 2; ++i) {
      const int inside = i >= 1 && i < 1 + n;
      CHECK(y[i] == (inside ? num_exp32(x[i]) : -1.0f), "n %zu, element %zu", n, i);
    }
    num_exp32_n(x + 1, x + 1, n);
    CHECK(memcmp(x + 1, y + 1, n * sizeof x[0]) == 0, "in place, n %zu", n);
  }
}

TEST(exhaustive_array) {
  for (uint64_t first = 0; first < 1ull << 32; first += CHUNK) {
    check_array(first, 1);
  }
}

TEST(speed) {
  float x[CHUNK];
  float y[CHUNK];
  for (size_t i = 0; i < CHUNK; ++i) {
    x[i] = -20.0f * (float)i / (float)CHUNK;
  }
  const clock_t start = clock();
  for (int round = 0; round < 10000; ++round) {
    num_exp32_n(x, y, CHUNK);
  }
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("num_exp32_n: %.0f million per second\n", 1e-6 * 10000.0 * CHUNK / seconds);
}
