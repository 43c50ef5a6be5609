// The BF16 units against the real numbers: the host computes in a wider format, and a rounding
// written here brings the result back.
// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>

#include "num/engine/num_bf16.h"
#include "num_test.h"

enum { BF16S = 0x10000, SIGN = 0x8000, INF = 0x7f80, TRIES = 64 };

// ------------------------------------------------------------------ rounding

// RNE on the grid of a BF16 with gradual underflow; what is left below 2^-126 becomes zero. The
// sign is kept throughout.
static num_bf16_t rounded(long double x) {
  if (isnan(x)) {
    return NUM_BF16_NAN;
  }
  const uint32_t sign = signbit(x) ? SIGN : 0;
  const long double mag = fabsl(x);
  if (isinf(mag)) {
    return (num_bf16_t)(sign | INF);
  }
  int exponent;
  frexpl(mag, &exponent);  // mag < 2^exponent
  const int last = exponent - 8 < -133 ? -133 : exponent - 8;
  const long double grid = ldexpl(rintl(ldexpl(mag, -last)), last);
  if (grid < 0x1p-126L) {
    return (num_bf16_t)sign;
  }
  if (grid > 0x1.fep127L) {
    return (num_bf16_t)(sign | INF);
  }
  const long double fraction = frexpl(grid, &exponent);  // in [1/2, 1)
  return (num_bf16_t)(sign | (uint32_t)(exponent + 126) << 7 | ((uint32_t)ldexpl(fraction, 8) & 0x7fu));
}

// The value that an operand counts as.
static long double value(num_bf16_t x) {
  const long double mag = num_bf16_to_f32(x & 0x7fff);
  const long double flushed = (x & INF) == 0 ? 0.0L : mag;
  return (x & SIGN) ? -flushed : flushed;
}

TEST(rounding_itself) {
  for (uint32_t x = 0; x < BF16S; ++x) {
    const int nan = (x & 0x7fffu) > INF;
    const uint32_t expected = nan ? NUM_BF16_NAN : (x & INF) == 0 ? x & SIGN : x;
    CHECK(rounded(num_bf16_to_f32((num_bf16_t)x)) == expected, "%04x", x);
  }
  assert_int_equal(rounded(1.0L + 0x1p-8L), 0x3f80);         // ties to even, down
  assert_int_equal(rounded(1.0L + 3 * 0x1p-8L), 0x3f82);     // and up
  assert_int_equal(rounded(0x1p-126L - 0x1p-134L), 0x0080);  // a tie below the smallest normal
  assert_int_equal(rounded(0x1p-126L - 0x1.01p-134L), 0x0000);
  assert_int_equal(rounded(-0x1.ffp127L), SIGN | INF);
}

// ------------------------------------------------------------------ operations

typedef num_bf16_t operation_t(num_bf16_t a, num_bf16_t b);
typedef long double reference_t(long double a, long double b);

// 64 bits hold products and quotients of 8-bit numbers, and sums, far enough for one more rounding
// to change nothing.
static long double product(long double a, long double b) { return a * b; }
static long double sum(long double a, long double b) { return a + b; }
static long double quotient(long double a, long double b) { return a / b; }
static long double difference(long double a, long double b) { return a - b; }

static const num_bf16_t SPECIAL[] = {0x0000, 0x0001, 0x007f, 0x0080, 0x00ff, 0x3f00, 0x3f7f, 0x3f80,
                                     0x3f81, 0x4000, 0x7f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0};

static void check(const char *name, operation_t *operation, reference_t *reference, num_bf16_t a, num_bf16_t b) {
  const num_bf16_t y = operation(a, b);
  const num_bf16_t expected = rounded(reference(value(a), value(b)));
  CHECK(y == expected, "%04x %s %04x: %04x, expected %04x", a, name, b, y, expected);
}

// Every a with all special b, with any b, and with a b whose result is near a's exponent.
static void check_all(const char *name, operation_t *operation, reference_t *reference, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  for (uint32_t a = 0; a < BF16S; ++a) {
    for (size_t i = 0; i < ARRAY_LEN(SPECIAL); ++i) {
      check(name, operation, reference, (num_bf16_t)a, SPECIAL[i]);
      check(name, operation, reference, (num_bf16_t)a, SPECIAL[i] | SIGN);
    }
    for (int i = 0; i < TRIES; ++i) {
      const uint32_t b = random_u32(&rng);
      const uint32_t near = (a + (b >> 16) % 0x900u - 0x480u) ^ (b & SIGN);
      check(name, operation, reference, (num_bf16_t)a, (num_bf16_t)b);
      check(name, operation, reference, (num_bf16_t)a, (num_bf16_t)near);
    }
  }
}

TEST(mul) { check_all("*", num_bf16_mul, product, 1); }

TEST(add) { check_all("+", num_bf16_add, sum, 2); }

TEST(divide) { check_all("/", num_bf16_div, quotient, 3); }

// A difference is the difference, but for equal bits: those are no distance apart, whatever they
// are.
static num_bf16_t diff_or_reference(num_bf16_t a, num_bf16_t b) {
  return a == b ? rounded(value(a) - value(b)) : num_bf16_diff(a, b);
}

TEST(diff) {
  check_all("-", diff_or_reference, difference, 4);
  for (uint32_t x = 0; x < BF16S; ++x) {
    assert_int_equal(num_bf16_diff((num_bf16_t)x, (num_bf16_t)x), 0);
  }
}

TEST(max_is_the_larger) {
  num_rng_t rng;
  num_rng_seed(&rng, 5);
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t r = random_u32(&rng);
    const num_bf16_t a = (num_bf16_t)r;
    const num_bf16_t b = (num_bf16_t)(r >> 16);
    const float x = num_bf16_to_f32(a);
    const float y = num_bf16_to_f32(b);
    const num_bf16_t m = num_bf16_max(a, b);
    assert_true(m == a || m == b);
    assert_int_equal(m, num_bf16_max(b, a));
    CHECK(isnan(x) || isnan(y) || num_bf16_to_f32(m) == fmaxf(x, y), "%04x, %04x: %04x", a, b, m);
  }
  assert_int_equal(num_bf16_max(0x8000, 0x0000), 0x0000);
  assert_int_equal(num_bf16_max(0x0001, 0x0000), 0x0001);
  assert_int_equal(num_bf16_max(0x7fc0, 0x7f80), 0x7fc0);
  assert_int_equal(num_bf16_max(0xffc0, 0xff80), 0xff80);
}

TEST(exp_of_everything) {
  for (uint32_t x = 0; x < BF16S; ++x) {
    const long double d = value((num_bf16_t)x);
    const float once = (float)expl(d > 0.0L ? 0.0L : d);
    const num_bf16_t y = num_bf16_exp((num_bf16_t)x);
    CHECK(y == rounded(once), "exp(%04x): %04x, expected %04x", x, y, rounded(once));
  }
  assert_int_equal(num_bf16_exp(0x0000), NUM_BF16_ONE);
  assert_int_equal(num_bf16_exp(NUM_BF16_NEG_INF), 0);
  assert_int_equal(num_bf16_exp(0xbf80), 0x3ebc);  // 0.367879
}

// ------------------------------------------------------------------ dot

static int exponent_field(num_bf16_t x) { return x >> 7 & 0xff; }

// A field of 255 as one more exponent.
static double plain_value(num_bf16_t x) {
  if (exponent_field(x) == 0) {
    return 0.0;
  }
  const double mag = ldexp(128 + (x & 0x7f), exponent_field(x) - 127 - 7);
  return (x & SIGN) ? -mag : mag;
}

// Products in units of the largest one's last place and 8 bits below, cut, and added up: all exact
// in FP64.
static num_bf16_t dot_reference(const num_bf16_t *a, const num_bf16_t *b, size_t d) {
  int top = 0;
  for (size_t i = 0; i < d; ++i) {
    if (exponent_field(a[i]) > 0 && exponent_field(b[i]) > 0) {
      top = (int)fmax(top, exponent_field(a[i]) + exponent_field(b[i]));
    }
  }
  const int unit = top - 2 * 127 - 2 * 7 - 8;
  double total = 0.0;
  for (size_t i = 0; i < d; ++i) {
    total += trunc(ldexp(plain_value(a[i]) * plain_value(b[i]), -unit));
  }
  return rounded(ldexpl(total, unit));
}

TEST(dot_random) {
  enum { MAX = 128 };
  num_rng_t rng;
  num_rng_seed(&rng, 6);
  for (int round = 0; round < 100000; ++round) {
    num_bf16_t a[MAX];
    num_bf16_t b[MAX];
    const size_t d = 1u + random_u32(&rng) % MAX;
    // Exponents of any size, of a few octaves, at the lower end, at the upper end.
    const uint32_t span = (uint32_t[]){256, 12, 24, 40}[round % 4];
    const uint32_t base = (uint32_t[]){0, 121, 52, 200}[round % 4];
    for (size_t i = 0; i < d; ++i) {
      const uint32_t r = random_u32(&rng);
      a[i] = (num_bf16_t)((r & 0x807fu) | (base + (r >> 16) % span) << 7);
      const uint32_t s = random_u32(&rng);
      b[i] = (num_bf16_t)((s & 0x807fu) | (base + (s >> 16) % span) << 7);
    }
    const num_bf16_t y = num_bf16_dot(a, b, d);
    CHECK(y == dot_reference(a, b, d), "round %d, d %zu: %04x, expected %04x", round, d, y, dot_reference(a, b, d));
  }
}

TEST(dot_by_hand) {
  const num_bf16_t one = NUM_BF16_ONE;
  const num_bf16_t minus = NUM_BF16_ONE | SIGN;
  const num_bf16_t a[] = {0x4000, 0x4040, minus};  // 2, 3, -1
  const num_bf16_t b[] = {0x3f00, one, 0x4080};    // 0.5, 1, 4
  assert_int_equal(num_bf16_dot(a, b, 1), one);
  assert_int_equal(num_bf16_dot(a, b, 2), 0x4080);
  assert_int_equal(num_bf16_dot(a, b, 3), 0x0000);  // an exact zero is positive
  // 1 + 2^-8: a tie, to even; and anything more decides it.
  const num_bf16_t tie[] = {one, 0x3b80, 0x3500};  // 1, 2^-8, 2^-21
  const num_bf16_t ones[] = {one, one, one};
  assert_int_equal(num_bf16_dot(tie, ones, 2), one);
  assert_int_equal(num_bf16_dot(tie, ones, 3), 0x3f81);
  // 2^-22 is the last place that is kept beside 1; 2^-23 is cut, however many there are.
  const num_bf16_t kept[] = {one, 0x3b80, 0x3480};
  const num_bf16_t lost[] = {one, 0x3b80, 0x3400};
  assert_int_equal(num_bf16_dot(kept, ones, 3), 0x3f81);
  assert_int_equal(num_bf16_dot(lost, ones, 3), one);
  // A cut magnitude, not a floor: a small negative one does not pull 1 below.
  const num_bf16_t below[] = {one, 0xb400};
  assert_int_equal(num_bf16_dot(below, ones, 2), one);
  // Subnormals count as zero, beside which everything is kept.
  const num_bf16_t tiny[] = {0x007f, 0x0080};
  const num_bf16_t big[] = {0x7f00, one};
  assert_int_equal(num_bf16_dot(tiny, big, 2), 0x0080);
  // Overflow.
  const num_bf16_t huge[] = {0x7f00, 0x7f00};
  assert_int_equal(num_bf16_dot(huge, huge, 2), INF);
}
