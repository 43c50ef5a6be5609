// RMSNorm, rotary embedding, SwiGLU and loss against their formulas in double.
// SPDX-License-Identifier: Apache-2.0
#include <complex.h>
#include <math.h>

#include "llm/lm/lm_ops.h"
#include "lm_test.h"

static void assert_close(float x, double expected, double tolerance) {
  CHECK(fabs((double)x - expected) <= tolerance * (1.0 + fabs(expected)), "%.9g, expected %.9g", (double)x, expected);
}

static void rmsnorm(void **state) {
  (void)state;
  enum { DIM = 37 };
  num_rng_t rng;
  num_rng_seed(&rng, 1);
  // The smallest has the 1e-5 decide.
  const double sizes[] = {100.0, 1.0, 1e-3, 1e-6};
  for (size_t s = 0; s < ARRAY_LEN(sizes); ++s) {
    float x[DIM], weight[DIM], y[DIM];
    long double mean = 0.0L;
    for (size_t i = 0; i < DIM; ++i) {
      x[i] = (float)(sizes[s] * num_rng_normal(&rng));
      weight[i] = (float)num_rng_normal(&rng);
      mean += (long double)x[i] * (long double)x[i] / DIM;
    }
    lm_rmsnorm(x, weight, DIM, y);
    const double root = sqrt((double)mean + 0.00001);
    for (size_t i = 0; i < DIM; ++i) {
      assert_close(y[i], (double)weight[i] * (double)x[i] / root, 3e-7);
    }
    lm_rmsnorm(x, weight, DIM, x);
    assert_memory_equal(x, y, sizeof x);
  }
}

// A pair is a complex number; its position turns it.
static void rope(void **state) {
  (void)state;
  enum { HEADS = 3, HEAD_DIM = 10 };
  num_rng_t rng;
  num_rng_seed(&rng, 2);
  const size_t positions[] = {0, 1, 2, 77, 1023};
  for (size_t p = 0; p < ARRAY_LEN(positions); ++p) {
    float x[HEADS * HEAD_DIM], turn[HEAD_DIM];
    complex double pair[HEADS * HEAD_DIM / 2];
    for (size_t i = 0; i < HEADS * HEAD_DIM / 2; ++i) {
      x[2 * i] = (float)num_rng_normal(&rng);
      x[2 * i + 1] = (float)num_rng_normal(&rng);
      pair[i] = (double)x[2 * i] + (double)x[2 * i + 1] * I;
    }
    lm_rope_turn(positions[p], HEAD_DIM, turn);
    lm_rope(x, HEADS, HEAD_DIM, turn);
    for (size_t i = 0; i < HEADS * HEAD_DIM / 2; ++i) {
      const double exponent = (double)(i % (HEAD_DIM / 2)) * 2.0 / HEAD_DIM;
      const double angle = (double)positions[p] / exp(exponent * log(10000.0));
      const complex double turned = pair[i] * cexp(angle * I);
      assert_close(x[2 * i], creal(turned), 3e-7);
      assert_close(x[2 * i + 1], cimag(turned), 3e-7);
    }
  }
}

static void swiglu(void **state) {
  (void)state;
  enum { N = 150 };  // more than two of its chunks
  float gate[N], up[N], before[N];
  for (size_t i = 0; i < N; ++i) {
    before[i] = gate[i] = (float)i - 75.0f;
    up[i] = 0.25f * (float)(i % 7) - 1.0f;
  }
  gate[0] = before[0] = -200.0f;
  lm_swiglu(gate, up, N);
  for (size_t i = 0; i < N; ++i) {
    const double z = (double)before[i];
    assert_close(gate[i], z * (1.0 / (1.0 + exp(-z))) * (double)up[i], 3e-7);
  }
}

static void loss(void **state) {
  (void)state;
  const float even[4] = {7.0f, 7.0f, 7.0f, 7.0f};
  assert_true(fabs(llm_loss(even, 4, 2) - log(4.0)) < 1e-12);
  const float steep[3] = {1000.0f, 998.0f, -1000.0f};
  assert_true(fabs(llm_loss(steep, 3, 0) - log(1.0 + exp(-2.0))) < 1e-12);
  assert_true(fabs(llm_loss(steep, 3, 1) - 2.0 - log(1.0 + exp(-2.0))) < 1e-12);
  assert_true(fabs(llm_loss(steep, 3, 2) - 2000.0 - log(1.0 + exp(-2.0))) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rmsnorm), cmocka_unit_test(rope), cmocka_unit_test(swiglu),
                                     cmocka_unit_test(loss)};
  return cmocka_run_group_tests_name("lm_ops", tests, NULL, NULL);
}
