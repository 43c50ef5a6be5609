// Conversions against a reference that knows nothing of bit fields: a format is a number of
// fraction bits and an exponent range, and rounding is done by the host in FP64, where every
// quotient by the last place is exact.
//
//   test_num_format             sampled FP32 inputs, every 8- and 16-bit one
//   test_num_format exhaustive  every FP32 input
//
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num_test.h"

typedef struct {
  const char *name;
  int fraction_bits;
  int min_exponent;  // of normal numbers
  double max_finite;
  double overflow;  // what a larger magnitude rounds to
} format_t;

static const format_t BF16 = {"bf16", 7, -126, 0x1.fep127, INFINITY};
static const format_t FP16 = {"fp16", 10, -14, 65504.0, INFINITY};
static const format_t E4M3 = {"e4m3", 3, -6, 448.0, 448.0};

static double power_of_two(int e) {
  const uint64_t bits = (uint64_t)(e + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static int exponent_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (int)((bits >> 52) & 0x7ffu) - 1023;
}

// The number of format f nearest to x, ties to even. x came from an FP32, so it is normal in FP64.
static double reference_round(const format_t *f, double x) {
  if (x == 0.0 || isnan(x)) {
    return x;
  }
  if (isinf(x)) {
    return copysign(f->overflow, x);
  }
  const int e = exponent_of(x);
  const int last_place = (e < f->min_exponent ? f->min_exponent : e) - f->fraction_bits;
  const double to_integer = 0x1.8p52;  // its addition rounds to a whole number, ties to even
  const double units = (fabs(x) * power_of_two(-last_place) + to_integer) - to_integer;
  const double rounded = units * power_of_two(last_place);
  return copysign(rounded > f->max_finite ? f->overflow : rounded, x);
}

// The number with this sign, exponent field and fraction field.
static double reference_value(const format_t *f, unsigned sign, int exponent, unsigned fraction) {
  const int e = exponent == 0 ? f->min_exponent : f->min_exponent + exponent - 1;
  const double hidden = exponent == 0 ? 0.0 : 1.0;
  const double significand = hidden + ldexp((double)fraction, -f->fraction_bits);
  return (sign ? -1.0 : 1.0) * ldexp(significand, e);
}

static void check_value(const format_t *f, unsigned code, float x, double expected) {
  const double got = (double)x;
  CHECK(got == expected && signbit(got) == signbit(expected), "%s %#x: %a, expected %a", f->name, code, got, expected);
}

static void check_nan(unsigned code, float x, unsigned sign) {
  CHECK(isnan(x) && (num_f32_bits(x) >> 31) == sign, "code %#x: bits %08x", code, num_f32_bits(x));
}

// A 16-bit format: fraction f->fraction_bits wide, then the exponent, then the sign.
static void check_decode16(const format_t *f, unsigned h, float x) {
  const unsigned sign = h >> 15;
  const unsigned exponents = 0x8000u >> f->fraction_bits;
  const unsigned exponent = (h & 0x7fffu) >> f->fraction_bits;
  const unsigned fraction = h & ((1u << f->fraction_bits) - 1u);
  if (exponent < exponents - 1) {
    check_value(f, h, x, reference_value(f, sign, (int)exponent, fraction));
  } else if (fraction == 0) {
    check_value(f, h, x, sign ? -INFINITY : INFINITY);
  } else {
    check_nan(h, x, sign);
  }
}

TEST(decode_every_code) {
  for (unsigned h = 0; h < 0x10000u; ++h) {
    check_decode16(&BF16, h, num_bf16_to_f32((uint16_t)h));
    check_decode16(&FP16, h, num_fp16_to_f32((uint16_t)h));
  }
  for (unsigned code = 0; code < 0x100u; ++code) {
    const float x = num_e4m3_to_f32((uint8_t)code);
    if ((code & 0x7fu) == 0x7fu) {
      check_nan(code, x, code >> 7);
    } else {
      const int exponent = (int)((code >> 3) & 0xfu);
      check_value(&E4M3, code, x, reference_value(&E4M3, code >> 7, exponent, code & 7u));
    }
  }
}

TEST(round_trips) {
  for (unsigned h = 0; h < 0x10000u; ++h) {
    const float bf16 = num_bf16_to_f32((uint16_t)h);
    const float fp16 = num_fp16_to_f32((uint16_t)h);
    // NaN comes back quiet, sign and payload kept.
    CHECK(num_bf16_from_f32(bf16) == (isnan(bf16) ? h | 0x40u : h), "bf16 %#x", h);
    CHECK(num_fp16_from_f32(fp16) == (isnan(fp16) ? h | 0x200u : h), "fp16 %#x", h);
  }
  for (unsigned code = 0; code < 0x100u; ++code) {
    CHECK(num_e4m3_from_f32(num_e4m3_to_f32((uint8_t)code)) == code, "e4m3 %#x", code);
  }
}

static int32_t clamp_s32(double x) {
  return isnan(x) ? 0 : x >= 0x1p31 ? INT32_MAX : x <= -0x1p31 ? INT32_MIN : (int32_t)x;
}

// Every narrowing of the float with bits u.
static void check_narrow(uint32_t u) {
  const float x = num_f32_from_bits(u);
  const unsigned sign = u >> 31;
  const uint16_t bf16 = num_bf16_from_f32(x);
  const uint16_t fp16 = num_fp16_from_f32(x);
  const uint8_t e4m3 = num_e4m3_from_f32(x);
  if (isnan(x)) {
    CHECK((bf16 & 0x7fc0u) == 0x7fc0u && bf16 >> 15 == sign, "bf16 of NaN %08x: %04x", u, bf16);
    CHECK((fp16 & 0x7e00u) == 0x7e00u && fp16 >> 15 == sign, "fp16 of NaN %08x: %04x", u, fp16);
    CHECK(e4m3 == (0x7fu | sign << 7), "e4m3 of NaN %08x: %02x", u, e4m3);
  } else {
    check_value(&BF16, u, num_bf16_to_f32(bf16), reference_round(&BF16, (double)x));
    check_value(&FP16, u, num_fp16_to_f32(fp16), reference_round(&FP16, (double)x));
    check_value(&E4M3, u, num_e4m3_to_f32(e4m3), reference_round(&E4M3, (double)x));
  }
  CHECK(num_f32_to_s32_trunc(x) == clamp_s32((double)x), "trunc of %08x", u);
  CHECK(num_f32_to_s32_rne(x) == clamp_s32(nearbyint((double)x)), "rne of %08x", u);
}

// On each midpoint between neighbours of every format, and one FP32 to either side.
TEST(narrow_at_ties) {
  for (uint32_t h = 0; h < 0x10000u; ++h) {
    for (uint32_t offset = 0; offset < 3; ++offset) {
      check_narrow((h << 16 | 0x8000u) + offset - 1u);
      // Bits 12 and 19 are the first ones FP16 and e4m3 drop; multiples of 2^12 hold both kinds.
      check_narrow((h << 16 | 0x1000u) + offset - 1u);
      check_narrow((h << 16 | 0x3000u) + offset - 1u);
    }
    const float fp16 = num_fp16_to_f32((uint16_t)h);
    const float next = num_fp16_to_f32((uint16_t)(h + 1u));
    const float middle = 0.5f * (fp16 + next);  // reaches the subnormals, too
    check_narrow(num_f32_bits(middle));
    check_narrow(num_f32_bits(nextafterf(middle, INFINITY)));
    check_narrow(num_f32_bits(nextafterf(middle, -INFINITY)));
  }
  for (unsigned code = 0; code < 0xffu; ++code) {
    const float middle = 0.5f * (num_e4m3_to_f32((uint8_t)code) + num_e4m3_to_f32((uint8_t)(code + 1u)));
    check_narrow(num_f32_bits(middle));
    check_narrow(num_f32_bits(nextafterf(middle, INFINITY)));
    check_narrow(num_f32_bits(nextafterf(middle, -INFINITY)));
  }
}

TEST(narrow_sampled) {
  const uint32_t step = 1009;  // prime: every residue of the low bits comes by
  uint32_t count = 0;
  for (uint64_t u = 0; u < 1ull << 32; u += step) {
    check_narrow((uint32_t)u);
    count++;
  }
  printf("narrowing: %u inputs, every %u-th\n", count, step);
}

TEST(exhaustive_narrow) {
  uint32_t u = 0;
  do {
    check_narrow(u);
  } while (++u != 0);
}

TEST(known_values) {
  assert_int_equal(num_bf16_from_f32(1.0f), 0x3f80);
  assert_int_equal(num_bf16_from_f32(3.4e38f), 0x7f80);  // nearer to 2^128 than to the largest
  assert_int_equal(num_fp16_from_f32(65519.996f), 0x7bff);
  assert_int_equal(num_fp16_from_f32(65520.0f), 0x7c00);
  assert_int_equal(num_fp16_from_f32(0x1p-25f), 0x0000);  // a tie, to even
  assert_int_equal(num_fp16_from_f32(0x1.8p-24f), 0x0002);
  assert_int_equal(num_e4m3_from_f32(448.0f), 0x7e);
  assert_int_equal(num_e4m3_from_f32(-INFINITY), 0xfe);
  assert_int_equal(num_e4m3_from_f32(0x1p-10f), 0x00);
  assert_int_equal(num_e4m3_from_f32(-0x1.8p-9f), 0x82);
  assert_int_equal(num_f32_to_s32_trunc(2147483520.0f), 2147483520);
  assert_int_equal(num_f32_to_s32_trunc(-2147483648.0f), INT32_MIN);
  assert_int_equal(num_f32_to_s32_trunc(-1.9f), -1);
  assert_int_equal(num_f32_to_s32_rne(2.5f), 2);
  assert_int_equal(num_f32_to_s32_rne(-1.5f), -2);
}

TEST(int4_nibbles) {
  const uint32_t word = 0xfedcba98u;
  for (unsigned i = 0; i < 8; ++i) {
    assert_int_equal(num_int4_get(word, i), (int)i - 8);
    assert_int_equal(num_int4_get(0x76543210u, i), (int)i);
    for (int value = -8; value < 8; ++value) {
      const uint32_t changed = num_int4_put(word, i, value);
      for (unsigned j = 0; j < 8; ++j) {
        assert_int_equal(num_int4_get(changed, j), j == i ? value : (int)j - 8);
      }
    }
  }
}

// Every source length up to a few vectors, at odd offsets, and nothing written beyond.
TEST(array_lengths) {
  enum { MAX = 80, GUARD = 0x5a5a };
  num_rng_t rng;
  num_rng_seed(&rng, 1);
  for (size_t n = 0; n < MAX; ++n) {
    float wide[MAX + 2];
    uint16_t narrow[MAX + 2];
    uint16_t bf16[MAX + 2];
    uint16_t fp16[MAX + 2];
    for (size_t i = 0; i < MAX + 2; ++i) {
      wide[i] = num_f32_from_bits(random_u32(&rng));
      narrow[i] = (uint16_t)random_u32(&rng);
      bf16[i] = fp16[i] = GUARD;
    }
    num_bf16_from_f32_n(wide + 1, bf16 + 1, n);
    num_fp16_from_f32_n(wide + 1, fp16 + 1, n);
    for (size_t i = 0; i < MAX + 2; ++i) {
      const int inside = i >= 1 && i < 1 + n;
      assert_int_equal(bf16[i], inside ? num_bf16_from_f32(wide[i]) : GUARD);
      assert_int_equal(fp16[i], inside ? num_fp16_from_f32(wide[i]) : GUARD);
    }
    float from_bf16[MAX + 2];
    float from_fp16[MAX + 2];
    memset(from_bf16, 0x5a, sizeof from_bf16);
    memset(from_fp16, 0x5a, sizeof from_fp16);
    num_bf16_to_f32_n(narrow + 1, from_bf16 + 1, n);
    num_fp16_to_f32_n(narrow + 1, from_fp16 + 1, n);
    for (size_t i = 0; i < MAX + 2; ++i) {
      const int inside = i >= 1 && i < 1 + n;
      const uint32_t outside = 0x5a5a5a5au;
      assert_int_equal(num_f32_bits(from_bf16[i]), inside ? num_f32_bits(num_bf16_to_f32(narrow[i])) : outside);
      assert_int_equal(num_f32_bits(from_fp16[i]), inside ? num_f32_bits(num_fp16_to_f32(narrow[i])) : outside);
    }
  }
}

enum { CHUNK = 0x10000 };

typedef struct {
  float wide[CHUNK];
  uint16_t bf16[CHUNK], fp16[CHUNK];
} chunk_t;

// The array forms against the scalar ones on the floats with bits first, first + step, ...
static void check_arrays(chunk_t *c, uint64_t first, uint64_t step) {
  for (size_t i = 0; i < CHUNK; ++i) {
    c->wide[i] = num_f32_from_bits((uint32_t)(first + i * step));
  }
  num_bf16_from_f32_n(c->wide, c->bf16, CHUNK);
  num_fp16_from_f32_n(c->wide, c->fp16, CHUNK);
  for (size_t i = 0; i < CHUNK; ++i) {
    const uint32_t u = (uint32_t)(first + i * step);
    const float x = num_f32_from_bits(u);
    CHECK(c->bf16[i] == num_bf16_from_f32(x), "bf16 array at %08x", u);
    CHECK(c->fp16[i] == num_fp16_from_f32(x), "fp16 array at %08x", u);
  }
}

TEST(arrays_sampled) {
  chunk_t *c = allocate(1, sizeof *c);
  for (uint64_t first = 0; first < 251; ++first) {
    check_arrays(c, first * 261, 65521);
  }
  float *wide = allocate(2 * CHUNK, sizeof *wide);
  for (size_t i = 0; i < CHUNK; ++i) {
    c->bf16[i] = (uint16_t)i;
  }
  num_bf16_to_f32_n(c->bf16, wide, CHUNK);
  num_fp16_to_f32_n(c->bf16, wide + CHUNK, CHUNK);
  for (size_t i = 0; i < CHUNK; ++i) {
    CHECK(num_f32_bits(wide[i]) == num_f32_bits(num_bf16_to_f32((uint16_t)i)), "bf16 %#zx", i);
    CHECK(num_f32_bits(wide[CHUNK + i]) == num_f32_bits(num_fp16_to_f32((uint16_t)i)), "fp16 %#zx", i);
  }
  free(wide);
  free(c);
}

TEST(exhaustive_arrays) {
  chunk_t *c = allocate(1, sizeof *c);
  for (uint64_t first = 0; first < 1ull << 32; first += CHUNK) {
    check_arrays(c, first, 1);
  }
  free(c);
}
