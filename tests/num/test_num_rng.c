// The generator: its published sequence, and the moments of what is made from it.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num_test.h"

// xoshiro256** from the state 1, 2, 3, 4: the first values follow by hand from its definition.
static void first_values(void **state) {
  (void)state;
  num_rng_t rng = {.s = {1, 2, 3, 4}};
  assert_true(num_rng_u64(&rng) == 11520u);  // rotl(2 * 5, 7) * 9
  assert_true(num_rng_u64(&rng) == 0u);      // s[1] has become 1 ^ 2 ^ 3 = 0
  assert_true(num_rng_u64(&rng) == 1509978240u);
  assert_true(num_rng_u64(&rng) == 1215971899390074240u);
}

// splitmix64 from seed 0 starts with these published values.
static void seeding(void **state) {
  (void)state;
  num_rng_t rng;
  num_rng_seed(&rng, 0);
  assert_true(rng.s[0] == 0xe220a8397b1dcdafu);
  assert_true(rng.s[1] == 0x6e789e6aa1b965f4u);
  assert_true(rng.s[2] == 0x06c45d188009454fu);
  assert_true(rng.s[3] == 0xf88bb8a8724c81ecu);
}

static void moments(void **state) {
  (void)state;
  enum { N = 1000000 };
  num_rng_t rng;
  num_rng_seed(&rng, 10);
  double uniform = 0.0;
  double sum = 0.0;
  double square = 0.0;
  double fourth = 0.0;
  for (int i = 0; i < N; i++) {
    const double u = num_rng_uniform(&rng);
    const double x = num_rng_normal(&rng);
    CHECK(u >= 0.0 && u < 1.0 && isfinite(x), "%a %a", u, x);
    uniform += u;
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
  }
  printf("uniform mean %.4f, normal mean %.4f variance %.4f fourth moment %.3f\n", uniform / N,
         sum / N, square / N, fourth / N);
  // Five standard deviations of each mean over N values.
  assert_true(fabs(uniform / N - 0.5) < 5.0 * sqrt(1.0 / 12.0 / N));
  assert_true(fabs(sum / N) < 5.0 * sqrt(1.0 / N));
  assert_true(fabs(square / N - 1.0) < 5.0 * sqrt(2.0 / N));
  assert_true(fabs(fourth / N - 3.0) < 5.0 * sqrt(96.0 / N));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_values),
      cmocka_unit_test(seeding),
      cmocka_unit_test(moments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
