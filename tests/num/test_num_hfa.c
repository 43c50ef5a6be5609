// The units of H-FA against what they stand for, written down in FP64: exponentials, logarithms,
// sums and quotients of real numbers, each within the bound of its approximation.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/engine/num_hfa.h"
#include "num_test.h"

enum { ZERO = 0x8000, BF16S = 0x10000, ELEMENTS = 0x20000, QUANT_MAX = 2768 };

static const double MITCHELL = 0.0861;  // log2(1 + x) - x is at most 0.08607
static const double POW2 = 1.44e-3;     // the straight lines of num_hfa_pow2
static const double UNIT = 1.0 / 128.0;

static const num_hfa_t PAPER = {.corrected = false, .zero_exact = false};
static const num_hfa_t EXACT_ZERO = {.corrected = false, .zero_exact = true};
static const num_hfa_t CORRECTED = {.corrected = true, .zero_exact = false};

static num_element_t element(int negative, int log) {
  return (negative ? NUM_ELEMENT_SIGN : 0u) | ((uint32_t)log & 0xffffu);
}

static int log_of(num_element_t x) {
  return (int)((x & 0xffffu) ^ 0x8000u) - 0x8000;  // two's complement
}

static int is_negative(num_element_t x) { return (x & NUM_ELEMENT_SIGN) != 0; }

static int saturated(int log) { return log < -32768 ? -32768 : log > 32767 ? 32767 : log; }

// ------------------------------------------------------------------ quant

// RNE to 8 significant bits; FP64 has room for every difference that is not decided by its larger
// operand alone.
static double rounded_to_bf16(double x) {
  if (x == 0.0 || isinf(x)) {
    return x;
  }
  int exponent;
  frexp(x, &exponent);
  return ldexp(nearbyint(ldexp(x, 8 - exponent)), exponent - 8);
}

static int quant_formula(num_bf16_t a, num_bf16_t b) {
  const double difference = (double)num_bf16_to_f32(b) - (double)num_bf16_to_f32(a);
  const double d = a == b ? 0.0 : rounded_to_bf16(difference);
  const double n = fmin(floor(fmin(d, 16.0) * 128.0 + 0.5), 1920.0);
  return (int)floor((n * 369.0 + 128.0) / 256.0);
}

static void check_quant(num_bf16_t a, num_bf16_t b) {
  const num_bf16_t low = num_bf16_max(a, b) == a ? b : a;
  const num_bf16_t high = low == a ? b : a;
  const int t = num_hfa_quant(low, high);
  CHECK(t == quant_formula(low, high), "quant of %04x - %04x: %d, expected %d", low, high, t, quant_formula(low, high));
}

TEST(quant_is_its_formula) {
  num_rng_t rng;
  num_rng_seed(&rng, 1);
  for (int i = 0; i < 4000000; ++i) {
    // Normal numbers; every second pair within a few exponents of each other.
    const uint32_t r = random_u32(&rng);
    const uint32_t low = (r & 0x807fu) | (1u + (r >> 16) % 254u) << 7;
    const uint32_t near = (low & 0x7f80u) + ((r >> 24) % 9u << 7);
    const uint32_t high = i % 2 && near < 0x7f80u ? near | (r >> 8 & 0x807fu) : random_u32(&rng) & 0xffffu;
    if ((high & 0x7f80u) != 0 && (high & 0x7f80u) != 0x7f80u) {
      check_quant((num_bf16_t)low, (num_bf16_t)high);
    }
  }
}

TEST(quant_of_every_distance) {
  for (uint32_t mag = 0x0080; mag <= 0x7f80; ++mag) {
    check_quant((num_bf16_t)(0x8000u | mag), 0);
    // The exponential itself: n is half a unit off at most, 369/256 is 0.09 % below log2 e.
    const double powers = (double)num_bf16_to_f32((num_bf16_t)mag) * 1.4426950408889634 * 128.0;
    const double off = num_hfa_quant((num_bf16_t)(0x8000u | mag), 0) - powers;
    CHECK(powers > 2768.0 || fabs(off) <= 0.5 * 1.4415 + 0.5 + 9e-4 * powers, "%04x: %g", mag, off);
  }
  for (uint32_t x = 0; x < BF16S; ++x) {
    assert_int_equal(num_hfa_quant((num_bf16_t)x, (num_bf16_t)x), 0);
  }
  assert_int_equal(num_hfa_quant(NUM_BF16_NEG_INF, 0x3f80), QUANT_MAX);
  assert_int_equal(num_hfa_quant(0xc170, 0), QUANT_MAX);  // 15
  assert_int_equal(num_hfa_quant(0xff7f, 0x7f7f), QUANT_MAX);
  assert_int_equal(num_hfa_quant(0x8001, 0x0001), 0);  // subnormals
}

// ------------------------------------------------------------------ log2, scale, pow2

TEST(log2_is_mitchell_s) {
  double worst = 0.0;
  for (uint32_t v = 0; v < BF16S; ++v) {
    const num_element_t x = num_hfa_log2((num_bf16_t)v);
    assert_int_equal(is_negative(x), v >> 15);
    if ((v & 0x7f80u) == 0) {
      assert_int_equal(x & 0xffffu, ZERO);
    } else if ((v & 0x7f80u) != 0x7f80u) {
      const double exact = log2(fabs((double)num_bf16_to_f32((num_bf16_t)v)));
      const double below = exact - log_of(x) * UNIT;
      CHECK(below >= 0.0 && below <= MITCHELL, "log2 of %04x: %g low", v, below);
      CHECK((v & 0x7fu) != 0 || below == 0.0, "power of two %04x: %g low", v, below);
      worst = fmax(worst, below);
    }
  }
  printf("log2: at most %.5f low\n", worst);
}

TEST(scale_subtracts) {
  for (uint32_t t = 0; t <= QUANT_MAX; t += t < 300 ? 1 : 97) {
    for (uint32_t x = 0; x < ELEMENTS; ++x) {
      const int log = (x & 0xffffu) == ZERO ? -32768 : saturated(log_of(x) - (int)t);
      const num_element_t y = num_hfa_scale(x, (uint16_t)t);
      CHECK(y == element(is_negative(x), log), "%05x - %u: %05x", x, t, y);
    }
  }
}

TEST(pow2_is_within_its_bound) {
  double worst = 0.0;
  for (uint32_t d = 0; d < BF16S; ++d) {
    const double exact = exp2(-(double)d * UNIT);
    const uint16_t t = num_hfa_pow2(d);
    const double off = fabs(t * UNIT - exact);
    CHECK(off <= POW2 + 0.5 * UNIT, "2^-(%u/128): %u, %g off", d, t, off);
    CHECK(d == 0 || t < 128, "2^-(%u/128) is 1", d);
    worst = fmax(worst, off);
  }
  assert_int_equal(num_hfa_pow2(0), 128);
  printf("pow2: at most %.3f of 1/128 off\n", worst / UNIT);
}

// ------------------------------------------------------------------ add

// The formula in plain integers.
static num_element_t add_formula(const num_hfa_t *hfa, num_element_t x, num_element_t y) {
  const int a = log_of(x);
  const int b = log_of(y);
  const int mx = a > b ? a : b;
  const int negative = a > b ? is_negative(x) : is_negative(y);
  const int subtract = is_negative(x) != is_negative(y);
  if (mx == -32768 || (subtract && a == b && (hfa->corrected || hfa->zero_exact))) {
    return element(negative, -32768);
  }
  const uint32_t d = (uint32_t)abs(a - b);
  const int t = hfa->corrected ? num_hfa_correct(d, subtract) : num_hfa_pow2(d);
  return element(negative, saturated(subtract ? mx - t : mx + t));
}

// Allowed distance of the sum's logarithm from the real one, given the real one of 1 +- 2^-D.
static double allowance(const num_hfa_t *hfa, double exact, double x) {
  if (hfa->corrected) {
    // As if the smaller one were off by nine units, which sixteen that share an entry come to.
    const double larger = fmin(x * exp2(9.0 * UNIT), 1.0);
    return fabs(log2(exact < 0 ? 1.0 - larger : 1.0 + larger) - exact) + 0.7 * UNIT;
  }
  return fabs(fabs(exact) - x) + POW2 + 0.5 * UNIT;  // what the approximation itself misses
}

static void check_add(const num_hfa_t *hfa, num_element_t x, num_element_t y) {
  const num_element_t sum = num_hfa_add(hfa, x, y);
  CHECK(sum == add_formula(hfa, x, y), "%05x + %05x: %05x", x, y, sum);
  const int a = log_of(x);
  const int b = log_of(y);
  const int d = abs(a - b);
  const int subtract = is_negative(x) != is_negative(y);
  const int log = log_of(sum);
  if (a == -32768 || b == -32768 || (subtract && d == 0) || log == -32768 || log == 32767) {
    return;
  }
  const double ratio = exp2(-d * UNIT);
  const double exact = log2(subtract ? 1.0 - ratio : 1.0 + ratio);
  const double off = fabs(log * UNIT - ((a > b ? a : b) * UNIT + exact));
  CHECK(off <= allowance(hfa, exact, ratio), "%05x + %05x: %g off", x, y, off);
  CHECK(hfa->corrected || subtract || off <= MITCHELL + POW2 + 0.5 * UNIT, "%05x + %05x: %g", x, y, off);
}

static void check_adds(const num_hfa_t *hfa, num_element_t x, num_element_t y) {
  for (uint32_t signs = 0; signs < 4; ++signs) {
    check_add(hfa, x ^ (signs & 1u) << 16, y ^ (signs & 2u) << 15);
  }
}

static void add_random(const num_hfa_t *hfa) {
  num_rng_t rng;
  num_rng_seed(&rng, 2);
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t r = random_u32(&rng);
    const num_element_t x = r & 0x1ffffu;
    check_adds(hfa, x, element(is_negative(x), saturated(log_of(x) + (int)(r >> 17 & 2047u) - 1024)));
    check_adds(hfa, x, random_u32(&rng) & 0x1ffffu);
  }
}

TEST(add_of_the_paper) {
  add_random(&PAPER);
  add_random(&EXACT_ZERO);
}

TEST(add_corrected) { add_random(&CORRECTED); }

TEST(add_corners) {
  const num_hfa_t *all[] = {&PAPER, &EXACT_ZERO, &CORRECTED};
  for (size_t i = 0; i < ARRAY_LEN(all); ++i) {
    // Doubling is exact; zero plus zero is zero with the sign of the second.
    assert_int_equal(num_hfa_add(all[i], element(1, 500), element(1, 500)), element(1, 628));
    assert_int_equal(num_hfa_add(all[i], element(0, -32768), element(1, -32768)), element(1, -32768));
    assert_int_equal(num_hfa_add(all[i], element(1, -32768), element(1, -32768)), element(1, -32768));
    // An element far below has no effect, zero least of all.
    assert_int_equal(num_hfa_add(all[i], element(0, 77), element(1, -32768)), element(0, 77));
    assert_int_equal(num_hfa_add(all[i], element(1, -32768), element(0, 77)), element(0, 77));
    assert_int_equal(num_hfa_add(all[i], element(0, 0), element(0, 1200)), element(0, 1200));
    // Both ends of the range.
    assert_int_equal(num_hfa_add(all[i], element(0, 32767), element(0, 32767)), element(0, 32767));
    assert_int_equal(num_hfa_add(all[i], element(1, 32700), element(1, 32700)), element(1, 32767));
    assert_int_equal(num_hfa_add(all[i], element(0, -32740), element(1, -32741)), element(0, -32768));
    // The larger one's sign, the second one's between equals.
    assert_int_equal(is_negative(num_hfa_add(all[i], element(1, 10), element(0, 9))), 1);
    assert_int_equal(is_negative(num_hfa_add(all[i], element(0, 9), element(1, 10))), 1);
    assert_int_equal(is_negative(num_hfa_add(all[i], element(0, 10), element(1, 10))), 1);
  }
  assert_int_equal(num_hfa_add(&PAPER, element(0, 10), element(1, 10)), element(1, 10 - 128));
  assert_int_equal(num_hfa_add(&EXACT_ZERO, element(0, 10), element(1, 10)), element(1, -32768));
  assert_int_equal(num_hfa_add(&CORRECTED, element(0, 10), element(1, 10)), element(1, -32768));
}

// ------------------------------------------------------------------ logdiv

static num_bf16_t logdiv_formula(num_element_t o, num_element_t l) {
  const double log = (log_of(o) - log_of(l)) * UNIT;
  const double whole = floor(log);
  const double quotient = ldexp(1.0 + (log - whole), (int)whole);  // Mitchell's 2^log
  if (log_of(o) == -32768 || quotient < 0x1p-126) {
    return 0;
  }
  const double sign = is_negative(o) != is_negative(l) ? -1.0 : 1.0;
  return num_bf16_from_f32((float)(sign * fmin(quotient, 0x1.fep127)));
}

TEST(logdiv_is_mitchell_s) {
  // With the two ends of l every ratio there is occurs.
  const num_element_t l[] = {element(0, -32768), element(0, 32767), element(0, 0),
                             element(0, 1280),   element(1, -300),  element(0, -5000)};
  for (uint32_t o = 0; o < ELEMENTS; ++o) {
    for (size_t i = 0; i < ARRAY_LEN(l); ++i) {
      const num_bf16_t y = num_hfa_logdiv_element(o, l[i]);
      CHECK(y == logdiv_formula(o, l[i]), "%05x / %05x: %04x, expected %04x", o, l[i], y, logdiv_formula(o, l[i]));
    }
  }
}

// log2 and logdiv undo each other: v / 1 is v.
TEST(logdiv_undoes_log2) {
  const num_element_t one = num_hfa_log2(NUM_BF16_ONE);
  assert_int_equal(one, 0);
  for (uint32_t v = 0; v < BF16S; ++v) {
    const int finite = (v & 0x7f80u) != 0x7f80u;
    const uint32_t expected = (v & 0x7f80u) == 0 ? 0u : v;
    const num_bf16_t y = num_hfa_logdiv_element(num_hfa_log2((num_bf16_t)v), one);
    CHECK(!finite || y == expected, "%04x: %04x", v, y);
  }
}
