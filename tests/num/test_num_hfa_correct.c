// num_hfa_correct against log2(1 +- 2^-D) itself: near it everywhere, on either side.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/engine/num_hfa.h"
#include "num_test.h"

enum { DISTANCES = 0x10000, OCTAVE = 128, OCTAVES = 9 };

// By the octave of D: the largest error and the largest mean, of 1/128. If eight or sixteen d
// share an entry, some are half of that away from it, times the function's slope; and half a unit
// is lost by rounding.
typedef struct {
  double largest, mean;
} limit_t;

static const limit_t limits[2][OCTAVES] = {
    // Adding. The first entry is exact for x + x; the last octave is meant to be high.
    {{3.5, 0.25}, {1.5, 0.1}, {2.2, 0.1}, {1.1, 0.1}, {0.8, 0.1}, {0.7, 0.1}, {0.6, 0.1}, {0.5, 0.1}, {0.7, 0.4}},
    // Subtracting. The first octave is judged by what is left.
    {{INFINITY, INFINITY},
     {8.3, 0.15},
     {2.7, 0.15},
     {1.7, 0.1},
     {1.0, 0.1},
     {0.7, 0.1},
     {0.6, 0.1},
     {0.5, 0.1},
     {0.7, 0.4}},
};

static double exact(uint32_t d, bool subtract) {
  const double x = exp2(-(double)d / OCTAVE);
  return OCTAVE * fabs(log2(subtract ? 1.0 - x : 1.0 + x));
}

static double error_of(uint32_t d, bool subtract) { return num_hfa_correct(d, subtract) - exact(d, subtract); }

// Every distance of all, those beyond the table among them.
TEST(is_within_its_contract) {
  for (int subtract = 0; subtract < 2; ++subtract) {
    for (uint32_t d = (uint32_t)subtract; d < DISTANCES; ++d) {
      const uint32_t octave = d / OCTAVE;
      const double limit = octave < OCTAVES ? limits[subtract][octave].largest : 0.37;
      const double error = error_of(d, subtract);
      CHECK(fabs(error) <= limit, "%s, d %u: %g off", subtract ? "minus" : "plus", d, error);
      CHECK(octave < OCTAVES || num_hfa_correct(d, subtract) == 0, "d %u: not 0", d);
    }
  }
}

// 1 - 2^-D itself, D < 1, of the larger number: what a small difference of large ones adds to what
// comes behind.
TEST(differences_lose_little) {
  double sum = 0.0;
  for (uint32_t d = 1; d < OCTAVE; ++d) {
    const double left = exp2(-(double)num_hfa_correct(d, true) / OCTAVE);
    const double error = left - (1.0 - exp2(-(double)d / OCTAVE));
    CHECK(fabs(error) <= 0.037, "d %u: %g off", d, error);
    sum += error;
  }
  printf("mean %.5f\n", sum / OCTAVE);
  assert_true(fabs(sum / OCTAVE) < 0.0005);
}

// A larger distance never weighs more.
TEST(falls) {
  for (int subtract = 0; subtract < 2; ++subtract) {
    for (uint32_t d = 1; d < DISTANCES; ++d) {
      CHECK(num_hfa_correct(d, subtract) <= num_hfa_correct(d - 1, subtract), "d %u", d);
    }
  }
}

// A long sum goes through all octaves of distances, and a mean error adds up over it: half a unit
// is what cutting instead of rounding would do.
TEST(has_little_bias) {
  for (int subtract = 0; subtract < 2; ++subtract) {
    for (uint32_t octave = 0; octave < OCTAVES; ++octave) {
      double sum = 0.0;
      for (uint32_t f = octave == 0 ? 1 : 0; f < OCTAVE; ++f) {
        sum += error_of(octave * OCTAVE + f, subtract);
      }
      CHECK(fabs(sum / OCTAVE) <= limits[subtract][octave].mean, "%s, octave %u: %g", subtract ? "minus" : "plus",
            octave, sum / OCTAVE);
    }
  }
}

// The part of 1 that is too much, before it ends, pays for most of the loss behind it.
TEST(tail_is_paid_for) {
  enum { ROUNDED_END = 1092 };
  for (int subtract = 0; subtract < 2; ++subtract) {
    double lost = 0.0;
    double left = 0.0;
    for (uint32_t d = 7 * OCTAVE; d < DISTANCES; ++d) {
      left += error_of(d, subtract);
      lost += d >= ROUNDED_END ? exact(d, subtract) : 0.0;
    }
    printf("%s: %.1f of %.1f units are not made up for\n", subtract ? "minus" : "plus", -left, lost);
    assert_true(left < 0.0 && -left < 0.35 * lost);
  }
}

// x + x is 2x exactly, and far apart nothing happens.
TEST(ends) {
  assert_int_equal(num_hfa_correct(0, false), 128);
  for (int subtract = 0; subtract < 2; ++subtract) {
    assert_int_equal(num_hfa_correct(1135, subtract), 1);
    assert_int_equal(num_hfa_correct(1136, subtract), 0);
    assert_int_equal(num_hfa_correct(65535, subtract), 0);
  }
}
