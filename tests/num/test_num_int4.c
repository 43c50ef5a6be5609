// Packing and quantising of INT4 weights: known words, every range of weights against the formula,
// and the shipped weights, which were quantised by others.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/num_int4.h"
#include "num_test.h"

TEST(known_words) {
  const uint32_t words[2] = {0xfedcba98u, 0x76543210u};
  int8_t values[16];
  uint32_t again[2];
  num_int4_unpack(NUM_NIBBLES_SIGNED, words, values, 16);
  for (int i = 0; i < 16; ++i) {
    assert_int_equal(values[i], i - 8);
  }
  num_int4_pack(values, again, 16);
  assert_memory_equal(words, again, sizeof words);
  num_int4_unpack(NUM_NIBBLES_UNSIGNED, words, values, 16);
  for (int i = 0; i < 16; ++i) {
    assert_int_equal(values[i], i < 8 ? i + 8 : i - 8);
  }
  num_int4_pack(values, again, 16);
  assert_memory_equal(words, again, sizeof words);
}

enum { K = 96, N = 24, GROUP = 32, GROUPS = K / GROUP * N };

typedef struct {
  float w[K * N];
  int8_t values[K * N];
  num_fp16_t scale[GROUPS], zero[GROUPS];
} weights_t;

// Columns of widths from FP16's subnormal scales up, some of one sign, one of zeros.
static void make_weights(weights_t *weights, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  for (size_t i = 0; i < (size_t)K * N; ++i) {
    const size_t column = i % N;
    const double width = column == 5 ? 0.0 : ldexp(1, (int)column - 18);
    const double value = width * num_rng_normal(&rng);
    weights->w[i] = (float)(column % 3 == 1 ? fabs(value) : column % 3 == 2 ? -fabs(value) : value);
  }
}

// Half a step, or one where rounding the zero moves the ends of the range; and what the scale's own
// rounding does.
static void check_near(const weights_t *weights, num_nibbles_t nibbles, bool zeros) {
  const int least = num_int4_least(nibbles);
  for (size_t i = 0; i < (size_t)K * N; ++i) {
    const size_t g = i / N / GROUP * N + i % N;
    const float s = num_fp16_to_f32(weights->scale[g]);
    const float z = zeros ? num_fp16_to_f32(weights->zero[g]) : 0.0f;
    const int q = weights->values[i];
    assert_true(q >= least && q <= least + 15);
    assert_true(z == rintf(z) && s > 0.0f);
    const float error = fabsf(s * ((float)q - z) - weights->w[i]);
    CHECK(error <= (zeros ? 1.0f : 0.5f) * s * 1.05f + 0x1p-22f, "weight %g: %g * (%d - %g)", (double)weights->w[i],
          (double)s, q, (double)z);
  }
}

TEST(quantised_is_near) {
  weights_t *weights = allocate(1, sizeof *weights);
  size_t bad = 0;
  for (uint64_t seed = 1; seed < 5; ++seed) {
    make_weights(weights, seed);
    assert_true(
        num_int4_quantise(NUM_NIBBLES_SIGNED, weights->w, K, N, GROUP, weights->values, weights->scale, NULL, &bad));
    check_near(weights, NUM_NIBBLES_SIGNED, false);
    for (int nibbles = 0; nibbles < 2; ++nibbles) {
      assert_true(num_int4_quantise((num_nibbles_t)nibbles, weights->w, K, N, GROUP, weights->values, weights->scale,
                                    weights->zero, &bad));
      check_near(weights, (num_nibbles_t)nibbles, true);
    }
  }
  weights->w[(GROUP + 3) * N + 7] = 5e5f;
  assert_false(
      num_int4_quantise(NUM_NIBBLES_SIGNED, weights->w, K, N, GROUP, weights->values, weights->scale, NULL, &bad));
  assert_int_equal(bad, N + 7);
  free(weights);
}

TEST(known_groups) {
  const float w[4] = {-3.5f, 1.25f, 0.75f, 3.0f};
  int8_t values[4];
  num_fp16_t scale;
  num_fp16_t zero;
  size_t bad;
  assert_true(num_int4_quantise(NUM_NIBBLES_SIGNED, w, 4, 1, 4, values, &scale, NULL, &bad));
  const int8_t signed_values[4] = {-7, 2, 2, 6};  // 2.5 and 1.5 to even
  assert_true(num_fp16_to_f32(scale) == 0.5f);
  assert_memory_equal(values, signed_values, 4);
  const float u[4] = {-2.0f, 5.5f, 0.25f, 0.75f};
  assert_true(num_int4_quantise(NUM_NIBBLES_UNSIGNED, u, 4, 1, 4, values, &scale, &zero, &bad));
  const int8_t unsigned_values[4] = {0, 15, 4, 6};
  assert_true(num_fp16_to_f32(scale) == 0.5f && num_fp16_to_f32(zero) == 4.0f);
  assert_memory_equal(values, unsigned_values, 4);
  assert_true(num_int4_quantise(NUM_NIBBLES_SIGNED, u, 4, 1, 4, values, &scale, &zero, &bad));
  assert_true(num_fp16_to_f32(zero) == -4.0f);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(values[i], unsigned_values[i] - 8);
  }
}

// --- the shipped weights ----------------------------------------------------------------------

enum { REAL_K = 4096, REAL_N = 256, REAL_GROUP = 128, HEADER = 128 };

static void *read_array(const char *name, size_t bytes) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", DATA_DIR, name);
  void *data = allocate(bytes, 1);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, HEADER, SEEK_SET), 0);
  assert_int_equal(fread(data, 1, bytes, file), bytes);
  fclose(file);
  return data;
}

TEST(shipped_weights) {
  const size_t count = (size_t)REAL_K * REAL_N;
  const size_t groups = count / REAL_GROUP;
  num_fp16_t *fp16 = read_array("w4a16_real_w_fp16.npy", count * 2);
  num_fp16_t *want_scale = read_array("w4a16_real_scale.npy", groups * 2);
  uint32_t *want = read_array("w4a16_real_w.npy", count / 2);
  float *w = allocate(count, sizeof *w);
  int8_t *values = allocate(count, 1);
  num_fp16_t *scale = allocate(groups, sizeof *scale);
  uint32_t *words = allocate(count / 8, sizeof *words);
  size_t bad;
  num_fp16_to_f32_n(fp16, w, count);
  assert_true(num_int4_quantise(NUM_NIBBLES_SIGNED, w, REAL_K, REAL_N, REAL_GROUP, values, scale, NULL, &bad));
  num_int4_pack(values, words, count);
  assert_memory_equal(scale, want_scale, groups * 2);
  assert_memory_equal(words, want, count / 2);
  free(words);
  free(scale);
  free(values);
  free(w);
  free(want);
  free(want_scale);
  free(fp16);
}
