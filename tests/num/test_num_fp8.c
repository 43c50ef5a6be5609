// Tokens of the FP8 cache against references that know of no bit fields: a code is a sign, a power
// of two and eighths, and the code of a number is the nearest of all 127, found by looking at them.
//
//   test_num_fp8             tokens, scales, corners, sampled numbers
//   test_num_fp8 exhaustive  the code of every FP32
//
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/num_fp8.h"
#include "num_test.h"

enum { LARGEST = 0x7e, TOKENS = 64 };

// The number of a code below 0x7f.
static double code_value(unsigned code) {
  const unsigned eighths = code & 7u;
  const int exponent = (int)(code >> 3);
  return exponent == 0 ? ldexp(eighths, -9) : ldexp(8 + eighths, exponent - 10);
}

static unsigned nearest_code(double x) {
  const double magnitude = fabs(x);
  unsigned best = 0;
  for (unsigned code = 1; code <= LARGEST; ++code) {
    const double here = fabs(code_value(code) - magnitude);
    const double there = fabs(code_value(best) - magnitude);
    best = here < there || (here == there && code % 2 == 0) ? code : best;
  }
  return best | (signbit(x) ? 0x80u : 0u);
}

// bf16(f32(code * scale)): the product is exact in FP64, the two roundings are the host's own.
static double decoded(unsigned code, float scale) {
  const float product = (float)(code_value(code & 0x7fu) * (double)scale);
  int exponent;
  const double fraction = frexp((double)product, &exponent);
  const int places = exponent < -125 ? 8 - (-125 - exponent) : 8;  // fewer below 2^-126
  const double rounded = ldexp(nearbyint(ldexp(fraction, places)), exponent - places);
  return (code & 0x80u) != 0 ? -rounded : rounded;
}

static float read_f32(const uint8_t *bytes) {
  float x;
  memcpy(&x, bytes, sizeof x);
  return x;
}

static void put_f32(float x, uint8_t *bytes) { memcpy(bytes, &x, sizeof x); }

// A token of 512 equal codes with these scales.
static void make_token(unsigned code, const float scale[NUM_FP8_SCALES], uint8_t *token) {
  memset(token, (int)code, NUM_FP8_LATENT);
  for (size_t i = 0; i < NUM_FP8_SCALES; ++i) {
    put_f32(scale[i], token + NUM_FP8_SCALE_OFFSET + 4 * i);
  }
  for (size_t i = 0; i < 2 * NUM_FP8_ROPE; ++i) {
    token[NUM_FP8_ROPE_OFFSET + i] = (uint8_t)(i * 7 + code);
  }
}

TEST(decodes_every_code) {
  const float sets[][NUM_FP8_SCALES] = {
      {1.0f, 0.5f, 0.0123f, 3.7e-5f},
      {0x1.fffffep0f, 0x1.010002p-7f, 1.0f / 3, 448.0f},
      {0x1p-126f, 0x1.8p-140f, 0x1p-149f, 1e38f / 448},
  };
  for (size_t set = 0; set < ARRAY_LEN(sets); ++set) {
    for (unsigned code = 0; code < 0x100; ++code) {
      uint8_t token[NUM_FP8_TOKEN_BYTES];
      num_bf16_t key[NUM_FP8_KEY];
      make_token(code, sets[set], token);
      num_fp8_decode(token, key, 1);
      for (size_t i = 0; i < NUM_FP8_LATENT; ++i) {
        const float got = num_bf16_to_f32(key[i]);
        if ((code & 0x7fu) == 0x7fu) {
          CHECK((key[i] & 0x7fc0u) == 0x7fc0u, "code %#x: %04x", code, key[i]);
          continue;
        }
        const double want = decoded(code, sets[set][i / NUM_FP8_GROUP]);
        CHECK((double)got == want && !signbit(got) == !signbit(want), "code %#x at %zu: %a, not %a", code, i,
              (double)got, want);
      }
      CHECK(memcmp(key + NUM_FP8_LATENT, token + NUM_FP8_ROPE_OFFSET, 2 * NUM_FP8_ROPE) == 0, "RoPE of code %#x", code);
    }
  }
}

// --- the encoder ------------------------------------------------------------------------------

static double group_amax(const num_bf16_t *x) {
  double amax = 0;
  for (size_t i = 0; i < NUM_FP8_GROUP; ++i) {
    amax = fmax(amax, fabs((double)num_bf16_to_f32(x[i])));
  }
  return amax;
}

// The smallest power of two that is no less than amax / 448 and 1e-4.
static double power_scale(double amax) {
  const double least = fmax((double)((float)amax / 448.0f), (double)1e-4f);
  double power = ldexp(1, -20);
  while (power < least) {
    power *= 2;
  }
  return power;
}

static void check_group(num_fp8_scale_t kind, const num_bf16_t *x, const uint8_t *code, float scale) {
  const double amax = group_amax(x);
  const double want = amax == 0 ? 1 : kind == NUM_FP8_SCALE_AMAX ? (double)(float)(amax / 448) : power_scale(amax);
  CHECK((double)scale == want, "scale %a of amax %a, not %a", (double)scale, amax, want);
  for (size_t i = 0; i < NUM_FP8_GROUP; ++i) {
    const double quotient = (double)(float)((double)num_bf16_to_f32(x[i]) / (double)scale);
    CHECK(code[i] == nearest_code(quotient), "code %#x of %a, not %#x", code[i], quotient, nearest_code(quotient));
  }
}

static void check_tokens(num_fp8_scale_t kind, const num_bf16_t *key, size_t tokens) {
  uint8_t *token = allocate(tokens, NUM_FP8_TOKEN_BYTES);
  num_fp8_encode(kind, key, token, tokens);
  for (size_t t = 0; t < tokens; ++t) {
    const num_bf16_t *x = key + t * NUM_FP8_KEY;
    const uint8_t *bytes = token + t * NUM_FP8_TOKEN_BYTES;
    for (size_t g = 0; g < NUM_FP8_SCALES; ++g) {
      check_group(kind, x + g * NUM_FP8_GROUP, bytes + g * NUM_FP8_GROUP,
                  read_f32(bytes + NUM_FP8_SCALE_OFFSET + 4 * g));
    }
    CHECK(memcmp(bytes + NUM_FP8_ROPE_OFFSET, x + NUM_FP8_LATENT, 2 * NUM_FP8_ROPE) == 0, "RoPE of token %zu", t);
  }
  free(token);
}

TEST(encodes_random_tokens) {
  num_rng_t rng;
  num_rng_seed(&rng, 11);
  num_bf16_t *key = allocate(TOKENS * NUM_FP8_KEY, sizeof *key);
  for (size_t i = 0; i < TOKENS * NUM_FP8_KEY; ++i) {
    const double width = ldexp(1, (int)(i / NUM_FP8_GROUP % 150) - 75);  // by group
    key[i] = num_bf16_from_f32((float)(width * num_rng_normal(&rng)));
  }
  check_tokens(NUM_FP8_SCALE_AMAX, key, TOKENS);
  check_tokens(NUM_FP8_SCALE_UE8M0, key, TOKENS);
  free(key);
}

// Groups of a third of the finite BF16 numbers as the largest value, the rest spread below it:
// scales down to subnormal ones, quotients that round beyond 448, ties.
TEST(encodes_many_amax) {
  num_bf16_t key[NUM_FP8_KEY] = {0};
  for (unsigned bits = 0; bits < 0x7f80u; bits += 3 * NUM_FP8_SCALES) {
    for (size_t g = 0; g < NUM_FP8_SCALES; ++g) {
      const float amax = num_bf16_to_f32((num_bf16_t)(bits + g));
      for (size_t i = 0; i < NUM_FP8_GROUP; ++i) {
        const float sign = i % 3 == 0 ? -1.0f : 1.0f;
        key[g * NUM_FP8_GROUP + i] = num_bf16_from_f32(sign * amax * ((float)(NUM_FP8_GROUP - i) / NUM_FP8_GROUP));
      }
    }
    check_tokens(bits % 8 == 0 ? NUM_FP8_SCALE_AMAX : NUM_FP8_SCALE_UE8M0, key, 1);
  }
}

TEST(corners) {
  assert_true(num_fp8_scale(NUM_FP8_SCALE_AMAX, 0.0f) == 1.0f);
  assert_true(num_fp8_scale(NUM_FP8_SCALE_UE8M0, 0.0f) == 1.0f);
  assert_true(num_fp8_scale(NUM_FP8_SCALE_UE8M0, 448.0f) == 1.0f);
  assert_true(num_fp8_scale(NUM_FP8_SCALE_UE8M0, 450.0f) == 2.0f);
  assert_true(num_fp8_scale(NUM_FP8_SCALE_UE8M0, 1e-30f) == 0x1p-13f);
  num_bf16_t key[NUM_FP8_KEY] = {0};
  uint8_t token[NUM_FP8_TOKEN_BYTES];
  key[0] = 0x7f80;  // infinity: does not set the scale
  key[1] = 0xff80;
  key[2] = 0x7fc1;  // NaN
  key[3] = 0xffff;
  key[4] = num_bf16_from_f32(448.0f);
  key[5] = 0x8000;
  key[NUM_FP8_GROUP] = 0x7f80;      // alone in its group
  key[2 * NUM_FP8_GROUP] = 0x7f7f;  // the largest number there is
  num_fp8_encode(NUM_FP8_SCALE_AMAX, key, token, 1);
  const uint8_t want[] = {0x7e, 0xfe, 0x7f, 0xff, 0x7e, 0x80, 0x00};
  assert_memory_equal(token, want, sizeof want);
  assert_int_equal(token[NUM_FP8_GROUP], 0x7e);
  assert_true(read_f32(token + NUM_FP8_SCALE_OFFSET) == 1.0f);
  assert_true(read_f32(token + NUM_FP8_SCALE_OFFSET + 4) == 1.0f);
  assert_true(read_f32(token + NUM_FP8_SCALE_OFFSET + 8) == num_bf16_to_f32(0x7f7f) / 448.0f);
}

// A token with every code, its largest at 448: what is decoded encodes to the same bytes.
TEST(round_trips) {
  const float scale[NUM_FP8_SCALES] = {1.0f, 0x1p-5f, 0x1p9f, 0x1p-13f};
  uint8_t token[NUM_FP8_TOKEN_BYTES];
  uint8_t again[NUM_FP8_TOKEN_BYTES];
  num_bf16_t key[NUM_FP8_KEY];
  make_token(0, scale, token);
  for (unsigned i = 0; i < NUM_FP8_LATENT; ++i) {
    token[i] = (uint8_t)(i % 0x7fu | (i / NUM_FP8_GROUP % 2 != 0 ? 0x80u : 0u));
  }
  num_fp8_decode(token, key, 1);
  num_fp8_encode(NUM_FP8_SCALE_AMAX, key, again, 1);
  assert_memory_equal(token, again, sizeof token);
  num_fp8_encode(NUM_FP8_SCALE_UE8M0, key, again, 1);
  assert_memory_equal(token, again, sizeof token);
}

// --- one number -------------------------------------------------------------------------------

enum { CHUNK = 1 << 16, CODES = LARGEST + 1 };

// The bits of the first FP32 whose code is not below `code`: above the midpoint, or on it if the
// midpoint's even neighbour is `code`. Midpoints have five bits, so they are FP32 numbers.
static uint32_t first_of(unsigned code) {
  const float middle = (float)((code_value(code - 1) + code_value(code)) / 2);
  return num_f32_bits(middle) + (code % 2 == 0 ? 0u : 1u);
}

// Codes of the floats with bits first .. first + CHUNK - 1, which are of one sign and ascend.
static void check_chunk(uint32_t first, float *x, uint8_t *code, const uint32_t *begin) {
  for (uint32_t i = 0; i < CHUNK; ++i) {
    x[i] = num_f32_from_bits(first + i);
  }
  num_e4m3_from_f32_n(x, code, CHUNK);
  const uint32_t sign = first >> 31 << 7;
  unsigned want = 0;
  for (uint32_t i = 0; i < CHUNK; ++i) {
    const uint32_t magnitude = (first + i) & 0x7fffffffu;
    while (want < LARGEST && magnitude >= begin[want + 1]) {
      want++;
    }
    const unsigned expected = (magnitude > 0x7f800000u ? 0x7fu : want) | sign;
    CHECK(code[i] == expected, "code %#x of %08x, not %#x", code[i], first + i, expected);
  }
}

static void check_chunks(uint64_t step) {
  uint32_t begin[CODES];
  float *x = allocate(CHUNK, sizeof *x);
  uint8_t *code = allocate(CHUNK, sizeof *code);
  for (unsigned i = 1; i < CODES; ++i) {
    begin[i] = first_of(i);
  }
  for (uint64_t first = 0; first < 1ull << 32; first += step) {
    check_chunk((uint32_t)first, x, code, begin);
  }
  free(code);
  free(x);
}

TEST(every_eleventh_chunk) { check_chunks(11 * CHUNK); }

TEST(exhaustive_numbers) { check_chunks(CHUNK); }

TEST(arrays_of_codes) {
  uint8_t code[0x100];
  float x[0x101];
  x[0x100] = 5.0f;
  for (unsigned i = 0; i < 0x100; ++i) {
    code[i] = (uint8_t)i;
  }
  num_e4m3_to_f32_n(code, x, 0x100);
  for (unsigned i = 0; i < 0x100; ++i) {
    CHECK(num_f32_bits(x[i]) == num_f32_bits(num_e4m3_to_f32((uint8_t)i)), "code %#x", i);
  }
  CHECK(x[0x100] == 5.0f, "wrote beyond the end");
}
