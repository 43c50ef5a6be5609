// Attention by H-FA against FP64: the errors NUMERICS.md sections 7 and 8 expect, of the paper's
// arithmetic and of the corrected one. 1024 Gaussian keys; what moves is the mean over the queries.
// SPDX-License-Identifier: Apache-2.0
#include "num_test_engine.h"

enum { KEYS = 1024, QUERIES = 48 };

typedef struct {
  size_t d;
  size_t blocks;
  double width;  // of the scores
  double lowest, highest;
} expected_t;

static void check_errors(num_hfa_t hfa, const expected_t *expected, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const expected_t *e = &expected[i];
    const num_engine_t engine = {NUM_DESIGN_HFA, hfa, e->d, e->blocks, KEYS};
    problem_t p = problem_new(QUERIES, KEYS, e->d, e->width, 10 + i);
    problem_run(&p, &engine, NULL);
    const double error = problem_error(&p, NULL);
    problem_free(&p);
    printf("d %zu, %zu blocks, scores x %g: %.4f\n", e->d, e->blocks, e->width, error);
    CHECK(error >= e->lowest && error <= e->highest, "expected %g to %g", e->lowest, e->highest);
  }
}

TEST(mitchell) {
  // The log-domain sum drifts: from 0.24 of the signal with peaked scores to more than all of it
  // where 1024 equals are added in one row.
  static const expected_t EXPECTED[] = {
      {32, 4, 1.0, 0.75, 0.87}, {64, 4, 1.0, 0.72, 0.86}, {128, 4, 1.0, 0.74, 0.86}, {64, 1, 1.0, 1.0, 1.3},
      {64, 2, 1.0, 0.75, 1.15}, {64, 8, 1.0, 0.78, 0.94}, {64, 4, 4.0, 0.2, 0.32},
  };
  check_errors((num_hfa_t)HFA, EXPECTED, ARRAY_LEN(EXPECTED));
}

TEST(corrected) {
  static const expected_t EXPECTED[] = {
      {32, 4, 1.0, 0.02, 0.06}, {64, 4, 1.0, 0.02, 0.06}, {128, 4, 1.0, 0.02, 0.06}, {64, 1, 1.0, 0.1, 0.25},
      {64, 2, 1.0, 0.03, 0.1},  {64, 8, 1.0, 0.02, 0.06}, {64, 4, 4.0, 0.02, 0.045}, {64, 1, 4.0, 0.02, 0.06},
  };
  check_errors((num_hfa_t)HFA_CORRECTED, EXPECTED, ARRAY_LEN(EXPECTED));
}

// ------------------------------------------------------------------ few keys, by hand

// One row of keys of which all scores are equal: the result is the mean of the values.
static void engine_over_equals(num_hfa_t hfa, const num_bf16_t *values, size_t s, num_bf16_t *out) {
  const num_bf16_t q = NUM_BF16_ONE;
  num_bf16_t k[8];
  num_element_t scratch[4];
  const num_engine_t engine = {NUM_DESIGN_HFA, hfa, 1, 1, 8};
  for (size_t i = 0; i < s; ++i) {
    k[i] = 0x4000;
  }
  num_engine_attention(&engine, &q, k, values, NULL, s, out, scratch);
}

// The logarithm of one value and its division by 1 are exact, and so is the sum of two equals.
TEST(copies_are_exact) {
  static const num_hfa_t BOTH[] = {HFA, HFA_CORRECTED};
  for (uint32_t v = 0; v < 0x10000; ++v) {
    const num_bf16_t twice[] = {(num_bf16_t)v, (num_bf16_t)v};
    const uint32_t expected = (v & 0x7f80u) == 0x7f80u ? NUM_BF16_NAN : (v & 0x7f80u) == 0 ? 0 : v;
    for (size_t i = 0; i < 2; ++i) {
      num_bf16_t out;
      engine_over_equals(BOTH[i], twice, 1, &out);
      CHECK(out == expected, "once %04x: %04x", v, out);
      engine_over_equals(BOTH[i], twice, 2, &out);
      CHECK(out == expected, "twice %04x: %04x", v, out);
    }
  }
}

// x - x: by the paper's formula x / 2, over l = 2 a quarter of x.
TEST(opposites) {
  const num_bf16_t values[] = {0x4000, 0xc000};  // 2, -2
  num_bf16_t out;
  engine_over_equals((num_hfa_t)HFA, values, 2, &out);
  assert_int_equal(out, 0xbf00);  // -1/2
  engine_over_equals((num_hfa_t){.zero_exact = true}, values, 2, &out);
  assert_int_equal(out, 0);
  engine_over_equals((num_hfa_t)HFA_CORRECTED, values, 2, &out);
  assert_int_equal(out, 0);
}
