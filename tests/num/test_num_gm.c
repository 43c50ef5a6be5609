// The atomics against a second transcription of the contract in 64-bit integers, and against what
// the guarded add is for: multiplying by a power of two.
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

TEST(array_is_scalar) {
  enum { MAX = 100 };
  num_rng_t rng;
  num_rng_seed(&rng, 9);
  for (int round = 0; round < 20000; ++round) {
    uint32_t mem[MAX + 1];
    uint32_t operand[MAX];
    uint32_t expected[MAX + 1];
    const size_t n = random_u32(&rng) % (MAX + 1);
    const enum num_gm_op op = (enum num_gm_op)(round % 6);  // one of them is no operation
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
  assert_int_equal(num_gm_apply(NUM_GM_STORE, 1u, 2u, NULL), 2u);
  assert_int_equal(num_gm_apply(NUM_GM_ADD_S32_RAW, 0xffffffffu, 2u, NULL), 1u);
}

TEST(speed) {
  enum { N = 8192, ROUNDS = 2000 };
  uint32_t *mem = allocate(N, sizeof *mem);
  uint32_t *operand = allocate(N, sizeof *operand);
  for (size_t i = 0; i < N; ++i) {
    mem[i] = 0x3f800000u + (uint32_t)i;
    operand[i] = 8u;
  }
  for (int op = NUM_GM_STORE; op <= NUM_GM_RESCALE; ++op) {
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
