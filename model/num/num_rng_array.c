// Elements of an array in groups of 4 * LANES, made together:
//
//   element    group * 256 +   0 ..  63    64 .. 127    128 .. 191    192 .. 255
//   block      group * 64  +   0 ..  63     0 ..  63      0 ..  63      0 ..  63
//   word of the block          0            1             2             3
//
// so that every loop below goes over neighbouring elements and vectorises. There is no call of
// libm, and nothing but FP32 operations that IEEE 754 fixes: the same bits on every host.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <string.h>

#include "num/num_isa.h"
#include "num/num_rng.h"

enum { LANES = 64, WORDS = 4, GROUP = WORDS * LANES, ROUNDS = 10 };

typedef struct {
  uint32_t word[WORDS][LANES];
} words_t;

// --- the hash ---------------------------------------------------------------------------------

// c: counter, becomes the result. Multipliers and key increments as in the paper, table 2.
NUM_INLINE void philox(uint32_t c[WORDS], uint32_t k0, uint32_t k1) {
#pragma GCC unroll 10
  for (int round = 0; round < ROUNDS; ++round) {
    const uint64_t p0 = (uint64_t)c[0] * 0xd2511f53u;
    const uint64_t p1 = (uint64_t)c[2] * 0xcd9e8d57u;
    c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ k0;
    c[1] = (uint32_t)p1;
    c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
    c[3] = (uint32_t)p0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
}

void num_rng_philox(uint64_t key, const uint32_t counter[4], uint32_t out[4]) {
  memcpy(out, counter, WORDS * sizeof *out);
  philox(out, (uint32_t)key, (uint32_t)(key >> 32));
}

NUM_INLINE void random_words(uint64_t seed, uint64_t stream, uint64_t group, words_t *w) {
  const uint64_t block = group * LANES;  // a multiple of LANES: no carry within the group
  for (uint32_t j = 0; j < LANES; ++j) {
    uint32_t c[WORDS] = {(uint32_t)block + j, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
    w->word[0][j] = c[0];
    w->word[1][j] = c[1];
    w->word[2][j] = c[2];
    w->word[3][j] = c[3];
  }
}

// --- numbers from words -----------------------------------------------------------------------

// ln(k / 2^31) for odd k below 2^31, relative error below 2^-21, also next to ln 1 = 0.
NUM_INLINE float log_fraction(int32_t k) {
  const int32_t sqrt_half = 0x5a82799a;  // of 2^31
  // Near 1 the distance to 1 is what counts, and 2^31 - k has it exactly. Elsewhere k = 2^e * m
  // with m in [sqrt(1/2), sqrt(2)).
  const float from_one = (float)(INT32_MIN + k) * 0x1p-31f;
  const uint32_t bits = num_f32_bits((float)k) - 0x3f3504f3u;  // of sqrt(1/2)
  const float m = num_f32_from_bits((bits & 0x007fffffu) + 0x3f3504f3u);
  const float exponent = (float)((int32_t)(bits >> 23) - 31);
  const bool near = k >= sqrt_half;
  const float f = near ? from_one : m - 1.0f;
  const float e = near ? 0.0f : exponent;
  // ln(1 + f) = 2 artanh(s), s = f / (2 + f), |s| < 0.1716: s^2 (s^2)^5 / 11 < 2^-28
  const float s = f / (2.0f + f);
  const float z = s * s;
  float p = 2.0f / 9.0f;
  p = p * z + 2.0f / 7.0f;
  p = p * z + 2.0f / 5.0f;
  p = p * z + 2.0f / 3.0f;
  p = p * z + 2.0f;
  return e * 0x1.62e43p-1f + p * s;
}

// cos and sin of 2 pi k / 2^32 by quadrants, the Taylor series to x^9 on |x| <= pi / 4: relative
// error below 2^-21, also next to their zeros.
NUM_INLINE void cos_sin(uint32_t k, float *cosine, float *sine) {
  const uint32_t quadrant = (k + 0x20000000u) >> 30;
  const float x = (float)(int32_t)(k - (quadrant << 30)) * 0x1.921fb6p-30f;  // 2 pi / 2^32
  const float z = x * x;
  float c = 1.0f / 40320.0f;
  c = c * z - 1.0f / 720.0f;
  c = c * z + 1.0f / 24.0f;
  c = c * z - 0.5f;
  c = c * z + 1.0f;
  float s = 1.0f / 362880.0f;
  s = s * z - 1.0f / 5040.0f;
  s = s * z + 1.0f / 120.0f;
  s = s * z - 1.0f / 6.0f;
  s = s * z + 1.0f;
  s = s * x;
  const bool swap = (quadrant & 1u) != 0;
  const uint32_t cos_bits = num_f32_bits(swap ? s : c);
  const uint32_t sin_bits = num_f32_bits(swap ? c : s);
  *cosine = num_f32_from_bits(cos_bits ^ ((quadrant + 1u) & 2u) << 30);
  *sine = num_f32_from_bits(sin_bits ^ (quadrant & 2u) << 30);
}

// Box-Muller: one normal to each of the two words' places.
NUM_INLINE void normals(float width, const uint32_t radius_word[LANES], const uint32_t angle_word[LANES],
                        num_bf16_t *out0, num_bf16_t *out1) {
  for (int j = 0; j < LANES; ++j) {
    const float u = log_fraction((int32_t)(radius_word[j] >> 1 | 1u));
    const float radius = sqrtf(-2.0f * u);
    float cosine;
    float sine;
    cos_sin(angle_word[j], &cosine, &sine);
    out0[j] = num_bf16_from_f32(width * (radius * cosine));
    out1[j] = num_bf16_from_f32(width * (radius * sine));
  }
}

NUM_INLINE void normal_group(float width, const words_t *w, num_bf16_t out[GROUP]) {
  normals(width, w->word[0], w->word[1], out, out + LANES);
  normals(width, w->word[2], w->word[3], out + 2 * LANES, out + 3 * LANES);
}

NUM_INLINE void uniform_group(float width, const words_t *w, num_bf16_t out[GROUP]) {
  for (int i = 0; i < WORDS; ++i) {
    for (int j = 0; j < LANES; ++j) {
      const float x = (float)(int32_t)(w->word[i][j] | 1u) * 0x1p-31f;
      out[i * LANES + j] = num_bf16_from_f32(width * x);
    }
  }
}

// --- arrays -----------------------------------------------------------------------------------

typedef struct {
  uint64_t seed, stream;
  float width;
} source_t;

NUM_CLONES
static void make_normals(source_t source, uint64_t group, num_bf16_t out[GROUP]) {
  words_t words;
  random_words(source.seed, source.stream, group, &words);
  normal_group(source.width, &words, out);
}

NUM_CLONES
static void make_uniforms(source_t source, uint64_t group, num_bf16_t out[GROUP]) {
  words_t words;
  random_words(source.seed, source.stream, group, &words);
  uniform_group(source.width, &words, out);
}

typedef void make_group_fn(source_t source, uint64_t group, num_bf16_t out[GROUP]);

// Whole groups in place, the ragged ends by way of a copy.
static void make(make_group_fn *make_group, source_t source, uint64_t first, size_t count, num_bf16_t *out) {
  while (count > 0) {
    const size_t skip = (size_t)(first % GROUP);
    const size_t part = count < GROUP - skip ? count : GROUP - skip;
    if (part == GROUP) {
      make_group(source, first / GROUP, out);
    } else {
      num_bf16_t group[GROUP];
      make_group(source, first / GROUP, group);
      memcpy(out, group + skip, part * sizeof *out);
    }
    first += part;
    out += part;
    count -= part;
  }
}

void num_rng_normal_bf16(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double width, num_bf16_t *out) {
  make(make_normals, (source_t){seed, stream, (float)width}, first, count, out);
}

void num_rng_uniform_bf16(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double width, num_bf16_t *out) {
  make(make_uniforms, (source_t){seed, stream, (float)width}, first, count, out);
}
