// The atomics against a second transcription of the contract in 64-bit integers, and against what
// the guarded add is for: multiplying by a power of two. Other elements against loops over values in FP64 and integers.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <time.h>

#include "num/num_gm.h"
#include "num_test.h"

typedef struct {
  uint32_t word;
  uint32_t guards;
} lane_t;

// NUMERICS.md section 4, line by line.
static lane_t reference_guarded_add(uint32_t u, int64_t n) {
  const uint32_t zero = u & 0x80000000u;
  const uint32_t infinity = zero | 0x7f800000u;
  const uint32_t e = (u >> 23) & 0xffu;
  if (n == 0) {
    return (lane_t){u, 0};
  }
  if (e == 0) {
    return (lane_t){zero, NUM_GM_GUARD_ZERO};
  }
  if (e == 255) {
    return (lane_t){u, NUM_GM_GUARD_SPECIAL};
  }
  const int64_t r = (int64_t)(u & 0x7fffffffu) + n;
  if (r < 0x00800000) {
    return (lane_t){zero, NUM_GM_GUARD_UNDERFLOW};
  }
  if (r >= 0x7f800000) {
    return (lane_t){infinity, NUM_GM_GUARD_OVERFLOW};
  }
  return (lane_t){zero | (uint32_t)r, 0};
}

static void check_guarded(uint32_t u, uint32_t operand) {
  const lane_t expected = reference_guarded_add(u, (int32_t)operand);
  static const enum num_gm_op ops[] = {NUM_GM_ADD_S32, NUM_GM_RESCALE};
  for (size_t i = 0; i < ARRAY_LEN(ops); ++i) {
    uint32_t guards = 0;
    const uint32_t word = num_gm_apply(ops[i], u, operand, &guards);
    CHECK(word == expected.word && guards == expected.guards, "%08x + %08x: %08x guards %x, expected %08x guards %x", u,
          operand, word, guards, expected.word, expected.guards);
  }
}

static const uint32_t MAGNITUDES[] = {0x00000000, 0x00000001, 0x003fffff, 0x007fffff, 0x00800000, 0x00800001,
                                      0x00ffffff, 0x01000000, 0x08abcdef, 0x3f7fffff, 0x3f800000, 0x3f800001,
                                      0x40490fdb, 0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000,
                                      0x7f800001, 0x7fc00000, 0x7fffffff};

TEST(guarded_corners) {
  for (size_t i = 0; i < ARRAY_LEN(MAGNITUDES); ++i) {
    const uint32_t u = MAGNITUDES[i];
    // The thresholds of this magnitude, powers of two, and the ends of the int32 range.
    const uint32_t centres[] = {0u, 0x00800000u - u, 0x7f800000u - u, 0u - u, 0x80000000u, 0x7fffffffu - u, 8u};
    for (uint32_t sign = 0; sign < 2; ++sign) {
      for (size_t c = 0; c < ARRAY_LEN(centres); ++c) {
        for (uint32_t offset = 0; offset < 7; ++offset) {
          check_guarded(u | sign << 31, centres[c] + offset - 3u);
        }
      }
      for (int32_t exponent = -256; exponent <= 255; ++exponent) {
        const uint32_t n = (uint32_t)exponent << 23;
        check_guarded(u | sign << 31, n);
        check_guarded(u | sign << 31, n + 1u);
        check_guarded(u | sign << 31, n - 1u);
      }
    }
  }
}

TEST(guarded_random) {
  num_rng_t rng;
  num_rng_seed(&rng, 6);
  for (int i = 0; i < 4000000; ++i) {
    const uint64_t bits = num_rng_u64(&rng);
    // Half with an operand small enough to stay in range mostly.
    const int32_t small = (int32_t)(uint32_t)bits >> (i % 12);
    check_guarded((uint32_t)(bits >> 32), (uint32_t)small);
  }
}

// Identical to the raw add wherever old and new exponent are normal, and there, for whole
// exponents, to a multiplication.
TEST(raw_and_ldexp) {
  num_rng_t rng;
  num_rng_seed(&rng, 7);
  long multiplied = 0;
  for (int i = 0; i < 2000000; ++i) {
    const uint64_t bits = num_rng_u64(&rng);
    const uint32_t u = (uint32_t)(bits >> 32);
    const int exponent = (int)(bits & 0xffu) - 128;
    const uint32_t operand = (uint32_t)exponent << 23;
    const float x = num_f32_from_bits(u);
    const float scaled = ldexpf(x, exponent);
    if (!isnormal(x) || !isnormal(scaled)) {
      continue;
    }
    uint32_t guards = 0;
    const uint32_t word = num_gm_apply(NUM_GM_ADD_S32, u, operand, &guards);
    const uint32_t raw = num_gm_apply(NUM_GM_ADD_S32_RAW, u, operand, &guards);
    CHECK(word == num_f32_bits(scaled) && word == raw && guards == 0, "%08x * 2^%d", u, exponent);
    const uint32_t odd = operand + (uint32_t)(bits & 0xffffu) - 0x8000u;  // not a whole exponent
    const lane_t expected = reference_guarded_add(u, (int32_t)odd);
    if (expected.guards == 0) {
      CHECK(num_gm_apply(NUM_GM_ADD_S32_RAW, u, odd, NULL) == expected.word, "%08x + %08x", u, odd);
    }
    multiplied++;
  }
  printf("%ld of 2000000 multiplied, seed 7\n", multiplied);
  assert_true(multiplied > 100000);
}

// FP64 is wide enough that its sum of two FP32, rounded again, is the FP32 sum.
static void check_f32_add(uint32_t a, uint32_t b) {
  const double sum = (double)num_f32_from_bits(a) + (double)num_f32_from_bits(b);
  const uint32_t expected = isnan(sum) ? 0x7fc00000u : num_f32_bits((float)sum);
  CHECK(num_f32_add_bits(a, b) == expected, "%08x + %08x", a, b);
  CHECK(num_gm_apply(NUM_GM_ADD_F32, a, b, NULL) == expected, "%08x + %08x", a, b);
}

TEST(f32_add) {
  num_rng_t rng;
  num_rng_seed(&rng, 8);
  for (size_t i = 0; i < 4 * ARRAY_LEN(MAGNITUDES) * ARRAY_LEN(MAGNITUDES); ++i) {
    const uint32_t a = MAGNITUDES[i / 4 % ARRAY_LEN(MAGNITUDES)];
    const uint32_t b = MAGNITUDES[i / 4 / ARRAY_LEN(MAGNITUDES)];
    check_f32_add(a | (uint32_t)(i & 1u) << 31, b | (uint32_t)(i & 2u) << 30);
  }
  for (int i = 0; i < 2000000; ++i) {
    const uint64_t bits = num_rng_u64(&rng);
    const uint32_t a = (uint32_t)(bits >> 32);
    check_f32_add(a, (uint32_t)bits);
    // Exponents near enough to round, and to cancel.
    check_f32_add(a, a ^ 0x80000000u ^ ((uint32_t)bits >> (4 + i % 28)));
  }
}

// --- elements of 8 and 16 bits, maxima and minima -------------------------------------------------

// A floating-point format of 16 bits: fraction bits, the exponent of a subnormal's last place, the canonical NaN.
typedef struct {
  int fraction, last;
  uint16_t nan;
} format_t;
static const format_t F16 = {10, -24, 0x7e00}, BF16 = {7, -133, 0x7fc0};

static double value_of(format_t f, uint16_t bits) {
  const int e = (bits & 0x7fff) >> f.fraction, m = bits & ((1 << f.fraction) - 1);
  const double size = e == 0x7fff >> f.fraction ? (m == 0 ? (double)INFINITY : (double)NAN)
                      : e == 0                  ? ldexp(m, f.last)
                                                : ldexp(m + (1 << f.fraction), f.last + e - 1);
  return (bits & 0x8000) != 0 ? -size : size;
}

// The bits of a number count up with its size, so carries and overflow come by themselves. FP64 has more than twice the
// bits: its sum, rounded again, is the sum.
static uint16_t bits_of(format_t f, double x) {
  const uint16_t sign = signbit(x) != 0 ? 0x8000 : 0;
  const int infinite = 0x7fff >> f.fraction << f.fraction;
  if (isnan(x)) {
    return f.nan;
  }
  if (isinf(x)) {
    return (uint16_t)(sign | infinite);
  }
  const int exponent = x == 0 ? f.last : ilogb(x) - f.fraction;
  const int place = exponent < f.last ? f.last : exponent;
  const int size = (int)rint(ldexp(fabs(x), -place)) + ((place - f.last) << f.fraction);
  return (uint16_t)(sign | (size > infinite ? infinite : size));
}

static const uint16_t CORNERS[] = {0x0000, 0x0001, 0x0002, 0x007f, 0x0080, 0x0081, 0x00ff, 0x03ff, 0x0400,
                                   0x0401, 0x07ff, 0x0800, 0x1000, 0x3400, 0x3bff, 0x3c00, 0x3c01, 0x3f7f,
                                   0x3f80, 0x3f81, 0x4000, 0x5555, 0x6400, 0x7000, 0x77ff, 0x7800, 0x7bff,
                                   0x7c00, 0x7c01, 0x7e00, 0x7f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff};

static uint32_t apply_halves(enum num_gm_op op, uint16_t m_low, uint16_t m_high, uint16_t x_low, uint16_t x_high) {
  return num_gm_apply(op, m_low | (uint32_t)m_high << 16, x_low | (uint32_t)x_high << 16, NULL);
}

typedef uint16_t reference_fn(uint16_t m, uint16_t x);

static uint16_t f16_sum(uint16_t m, uint16_t x) { return bits_of(F16, value_of(F16, m) + value_of(F16, x)); }
static uint16_t f16_max(uint16_t m, uint16_t x) { return value_of(F16, m) > value_of(F16, x) ? m : x; }
static uint16_t f16_min(uint16_t m, uint16_t x) { return value_of(F16, m) < value_of(F16, x) ? m : x; }
static uint16_t bf16_sum(uint16_t m, uint16_t x) { return bits_of(BF16, value_of(BF16, m) + value_of(BF16, x)); }
static uint16_t bf16_max(uint16_t m, uint16_t x) { return value_of(BF16, m) > value_of(BF16, x) ? m : x; }
static uint16_t bf16_min(uint16_t m, uint16_t x) { return value_of(BF16, m) < value_of(BF16, x) ? m : x; }
// Integers as they are counted, around the whole.
static int s16(uint16_t bits) { return bits < 0x8000 ? bits : bits - 0x10000; }
static uint16_t s16_sum(uint16_t m, uint16_t x) { return (uint16_t)((s16(m) + s16(x) + 0x20000) % 0x10000); }
static uint16_t s16_max(uint16_t m, uint16_t x) { return s16(m) > s16(x) ? m : x; }
static uint16_t s16_min(uint16_t m, uint16_t x) { return s16(m) < s16(x) ? m : x; }

static const struct {
  enum num_gm_op op;
  reference_fn *reference;
} HALVES[] = {{NUM_GM_ADD_F16, f16_sum},   {NUM_GM_MAX_F16, f16_max},   {NUM_GM_MIN_F16, f16_min},
              {NUM_GM_ADD_BF16, bf16_sum}, {NUM_GM_MAX_BF16, bf16_max}, {NUM_GM_MIN_BF16, bf16_min},
              {NUM_GM_ADD_S16, s16_sum},   {NUM_GM_MAX_S16, s16_max},   {NUM_GM_MIN_S16, s16_min}};

// Both halves of a word, which know nothing of each other.
static void check_halves(size_t i, uint16_t a, uint16_t b, uint16_t c, uint16_t d) {
  const uint32_t word = apply_halves(HALVES[i].op, a, b, c, d);
  const uint32_t expected = HALVES[i].reference(a, c) | (uint32_t)HALVES[i].reference(b, d) << 16;
  CHECK(word == expected, "op %d of %04x %04x and %04x %04x: %08x, expected %08x", HALVES[i].op, b, a, d, c, word,
        expected);
}

// Each number of 16 bits with corners, with its own neighbours of either sign, and with any.
TEST(halves) {
  num_rng_t rng;
  num_rng_seed(&rng, 10);
  for (size_t i = 0; i < ARRAY_LEN(HALVES); ++i) {
    for (uint32_t m = 0; m < 0x10000; ++m) {
      const uint64_t bits = num_rng_u64(&rng);
      const uint16_t corner = CORNERS[m % ARRAY_LEN(CORNERS)], any = (uint16_t)(bits >> 48);
      const uint16_t near = (uint16_t)((m ^ (bits & 0x8000)) + (bits >> 16 & 7) - 3);
      check_halves(i, (uint16_t)m, any, corner, (uint16_t)bits);
      check_halves(i, (uint16_t)m, corner, near, (uint16_t)m);
      check_halves(i, (uint16_t)m, (uint16_t)m, (uint16_t)(corner | 0x8000), (uint16_t)(near ^ bits >> 32 << 7));
    }
    for (size_t j = 0; j < 4 * ARRAY_LEN(CORNERS) * ARRAY_LEN(CORNERS); ++j) {
      const uint16_t m = (uint16_t)(CORNERS[j / 4 % ARRAY_LEN(CORNERS)] | (j & 1) << 15);
      const uint16_t x = (uint16_t)(CORNERS[j / 4 / ARRAY_LEN(CORNERS)] | (j & 2) << 14);
      check_halves(i, m, x, x, m);
    }
  }
}

// Every pair of two numbers of 16 bits: minutes.
TEST(exhaustive_halves) {
  for (size_t i = 0; i < ARRAY_LEN(HALVES); ++i) {
    for (uint32_t m = 0; m < 0x10000; ++m) {
      for (uint32_t x = 0; x < 0x10000; x += 2) {
        check_halves(i, (uint16_t)m, (uint16_t)m, (uint16_t)x, (uint16_t)(x + 1));
      }
    }
  }
}

static int s8(uint32_t bits) { return (int)(bits & 0xff) - ((bits & 0x80) != 0 ? 0x100 : 0); }

// Every pair in every place; the other places have others.
TEST(bytes) {
  num_rng_t rng;
  num_rng_seed(&rng, 11);
  for (uint32_t i = 0; i < 0x40000; ++i) {
    const uint32_t place = i >> 16 << 3, a = i & 0xff, b = i >> 8 & 0xff;
    const uint32_t m = (random_u32(&rng) & ~(0xffu << place)) | a << place;
    const uint32_t x = (random_u32(&rng) & ~(0xffu << place)) | b << place;
    uint32_t sum = 0, most = 0, least = 0;
    for (uint32_t at = 0; at < 32; at += 8) {
      const int y = s8(m >> at), z = s8(x >> at);
      sum |= (uint32_t)((y + z + 0x200) % 0x100) << at;
      most |= (uint32_t)((y > z ? y : z) & 0xff) << at;
      least |= (uint32_t)((y < z ? y : z) & 0xff) << at;
    }
    CHECK(num_gm_apply(NUM_GM_ADD_S8, m, x, NULL) == sum, "%08x + %08x", m, x);
    CHECK(num_gm_apply(NUM_GM_MAX_S8, m, x, NULL) == most, "max of %08x, %08x", m, x);
    CHECK(num_gm_apply(NUM_GM_MIN_S8, m, x, NULL) == least, "min of %08x, %08x", m, x);
  }
}

static void check_words(uint32_t m, uint32_t x) {
  const float a = num_f32_from_bits(m), b = num_f32_from_bits(x);
  const int64_t i = (int64_t)m - ((m >> 31 != 0) ? INT64_C(1) << 32 : 0);
  const int64_t j = (int64_t)x - ((x >> 31 != 0) ? INT64_C(1) << 32 : 0);
  CHECK(num_gm_apply(NUM_GM_MAX_F32, m, x, NULL) == (a > b ? m : x), "max of %08x, %08x", m, x);
  CHECK(num_gm_apply(NUM_GM_MIN_F32, m, x, NULL) == (a < b ? m : x), "min of %08x, %08x", m, x);
  CHECK(num_gm_apply(NUM_GM_MAX_S32, m, x, NULL) == (i > j ? m : x), "max of %08x, %08x", m, x);
  CHECK(num_gm_apply(NUM_GM_MIN_S32, m, x, NULL) == (i < j ? m : x), "min of %08x, %08x", m, x);
}

TEST(words) {
  num_rng_t rng;
  num_rng_seed(&rng, 12);
  for (size_t i = 0; i < 4 * ARRAY_LEN(MAGNITUDES) * ARRAY_LEN(MAGNITUDES); ++i) {
    check_words(MAGNITUDES[i / 4 % ARRAY_LEN(MAGNITUDES)] | (uint32_t)(i & 1) << 31,
                MAGNITUDES[i / 4 / ARRAY_LEN(MAGNITUDES)] | (uint32_t)(i & 2) << 30);
  }
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t m = random_u32(&rng);
    check_words(m, random_u32(&rng));
    check_words(m, m + random_u32(&rng) % 5 - 2);
  }
}

TEST(array_is_scalar) {
  enum { MAX = 100 };
  num_rng_t rng;
  num_rng_seed(&rng, 9);
  for (int round = 0; round < 20000; ++round) {
    uint32_t mem[MAX + 1];
    uint32_t operand[MAX];
    uint32_t expected[MAX + 1];
    const size_t n = random_u32(&rng) % (MAX + 1);
    const enum num_gm_op op = (enum num_gm_op)(round % (NUM_GM_MIN_S8 + 2));  // one of them is no operation
    uint32_t guards = 0;
    uint32_t expected_guards = 0;
    for (size_t i = 0; i < MAX; ++i) {
      const uint64_t bits = num_rng_u64(&rng);
      mem[i] = (bits & 7u) == 0 ? MAGNITUDES[bits / 8 % ARRAY_LEN(MAGNITUDES)] : (uint32_t)(bits >> 32);
      operand[i] = (bits & 0x700u) == 0 ? 0u : random_u32(&rng);
    }
    mem[MAX] = 0x5a5a5a5au;
    memcpy(expected, mem, sizeof mem);
    for (size_t i = 0; i < n; ++i) {
      const uint32_t each = op == NUM_GM_RESCALE ? operand[0] : operand[i];
      expected[i] = num_gm_apply(op, mem[i], each, &expected_guards);
    }
    num_gm_apply_n(op, mem, operand, n, round % 2 ? &guards : NULL);
    CHECK(memcmp(mem, expected, sizeof mem) == 0, "op %d, n %zu", (int)op, n);
    CHECK(round % 2 == 0 || guards == expected_guards, "guards of op %d, n %zu", (int)op, n);
  }
}

TEST(guards_are_sticky) {
  uint32_t guards = 0;
  num_gm_apply(NUM_GM_ADD_S32, 0u, 1u, &guards);
  num_gm_apply(NUM_GM_ADD_S32, 0x7f800000u, 1u, &guards);
  num_gm_apply(NUM_GM_ADD_S32, 0x3f800000u, 1u, &guards);
  assert_int_equal(guards, NUM_GM_GUARD_ZERO | NUM_GM_GUARD_SPECIAL);
  uint32_t word = 0x3f800000u;
  const uint32_t operand = 0x7f000000u;
  num_gm_apply_n(NUM_GM_RESCALE, &word, &operand, 1, &guards);
  assert_int_equal(guards, NUM_GM_GUARD_ZERO | NUM_GM_GUARD_SPECIAL | NUM_GM_GUARD_OVERFLOW);
  num_gm_apply_n(NUM_GM_RESCALE, &word, NULL, 0, &guards);
  assert_int_equal(word, 0x7f800000u);
}

TEST(codes_are_the_hardware_s) {
  assert_int_equal(NUM_GM_STORE, 0);
  assert_int_equal(NUM_GM_ADD_F32, 1);
  assert_int_equal(NUM_GM_ADD_S32, 2);
  assert_int_equal(NUM_GM_ADD_S32_RAW, 3);
  assert_int_equal(NUM_GM_RESCALE, 4);
  assert_int_equal(NUM_GM_ADD_F16, 5);
  assert_int_equal(NUM_GM_MAX_F32, 9);
  assert_int_equal(NUM_GM_MIN_F32, 15);
  assert_int_equal(NUM_GM_MIN_S8, 20);
  assert_int_equal(num_gm_apply(NUM_GM_STORE, 1u, 2u, NULL), 2u);
  assert_int_equal(num_gm_apply(NUM_GM_ADD_S32_RAW, 0xffffffffu, 2u, NULL), 1u);
}

TEST(speed) {
  enum { N = 8192, ROUNDS = 1000 };
  uint32_t *mem = allocate(N, sizeof *mem);
  uint32_t *operand = allocate(N, sizeof *operand);
  for (size_t i = 0; i < N; ++i) {
    mem[i] = 0x3f800000u + (uint32_t)i;
    operand[i] = 8u;
  }
  for (int op = NUM_GM_STORE; op <= NUM_GM_MIN_S8; ++op) {
    uint32_t guards = 0;
    const clock_t start = clock();
    for (int round = 0; round < ROUNDS; ++round) {
      num_gm_apply_n((enum num_gm_op)op, mem, operand, N, &guards);
    }
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("op %d: %.1f lanes per ns\n", op, 1e-9 * N * ROUNDS / seconds);
  }
  free(mem);
  free(operand);
}
