// Reciprocal square roots against whole numbers of 128 bits: no rounding, no function of a library.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/num_exp.h"
#include "num_test.h"

enum { CHUNK = 4096, FRACTION = 23, ALL = 1 << (FRACTION + 1) };

__extension__ typedef unsigned __int128 wide_t;

// Is y = Y 2^-24, in [1/2, 1], the FP32 number nearest to 1 / sqrt(X 2^-24)? Then that is between the middles (2Y - 1)
// 2^-25 and (2Y + 1) 2^-25: (2Y - 1)^2 X < 2^74 < (2Y + 1)^2 X. Neither is ever equal: odd squares do not divide a
// power of two.
static bool is_nearest(uint64_t x, float y) {
  const uint64_t significand = (uint64_t)ldexpf(y, FRACTION + 1);
  const wide_t one = (wide_t)1 << 74;
  const wide_t below = 2 * significand - 1;
  const wide_t above = 2 * significand + 1;
  return below * below * x < one && one < above * above * x;
}

// All of [1, 4): with a power of four the root's exponent changes and nothing else.
TEST(all_significands) {
  static float x[CHUNK];
  static float y[CHUNK];
  for (uint32_t i = 0; i < ALL; i += CHUNK) {
    for (uint32_t j = 0; j < CHUNK; ++j) {
      x[j] = num_f32_from_bits(0x3f800000u + i + j);
    }
    num_rsqrt32_n(x, y, CHUNK);
    for (uint32_t j = 0; j < CHUNK; ++j) {
      const bool whole = x[j] == 1.0f;
      const uint64_t scaled = (uint64_t)ldexp((double)x[j], 24);
      CHECK(whole ? y[j] == 1.0f : is_nearest(scaled, y[j]), "1 / sqrt(%a): %a", (double)x[j], (double)y[j]);
    }
  }
}

TEST(powers_of_four) {
  num_rng_t rng;
  num_rng_seed(&rng, 3);
  for (int i = 0; i < 100000; ++i) {
    const float base = num_f32_from_bits(0x3f800000u + (uint32_t)(num_rng_u64(&rng) % ALL));
    const int exponent = (int)(num_rng_u64(&rng) % 126) - 62;
    const float x[2] = {base, ldexpf(base, 2 * exponent)};
    float y[2];
    num_rsqrt32_n(x, y, 2);
    CHECK(y[1] == ldexpf(y[0], -exponent), "1 / sqrt(%a): %a", (double)x[1], (double)y[1]);
  }
  // Subnormal numbers are those of few bits, times a power of four.
  for (uint32_t bits = 1; bits < 0x00800000u; bits += 1 + bits / 1000) {
    const float x[2] = {num_f32_from_bits(bits), ldexpf((float)bits, -1)};  // 2^-149 = 2^-148 / 2
    float y[2];
    num_rsqrt32_n(x, y, 2);
    CHECK(y[0] == ldexpf(y[1], 74), "1 / sqrt(%a): %a", (double)x[0], (double)y[0]);
  }
}

TEST(special_values) {
  const float x[] = {0.0f, -0.0f, INFINITY, -INFINITY, -1.0f, -0x1p-149f, NAN, 4.0f, 0x1p-149f, 0x1.fffffep127f};
  const float expected[] = {INFINITY, -INFINITY, 0.0f, NAN, NAN, NAN, NAN, 0.5f, 0x1.6a09e6p74f, 0x1p-64f};
  float y[ARRAY_LEN(x)];
  num_rsqrt32_n(x, y, ARRAY_LEN(x));
  for (size_t i = 0; i < ARRAY_LEN(x); ++i) {
    CHECK(same_f32(y[i], expected[i]), "1 / sqrt(%a): %a", (double)x[i], (double)y[i]);
  }
}
