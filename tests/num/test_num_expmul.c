// ExpMul's two operations against plain arithmetic: every distance, every number times every power of two.
// SPDX-License-Identifier: Apache-2.0
#include "num_test.h"

#include <math.h>
#include "num/engine/num_expmul.h"

enum { K_MAX = 22 };

// k is 23/16 |d|, rounded, of |d| in steps of 1/128 and at most 15: never further than rounding and steps explain.
TEST(powers_are_rounded_logarithms) {
  int last = 0;
  for (uint32_t mag = 0; mag < 0x7f80; ++mag) {
    const int k = num_expmul_power((num_bf16_t)(0x8000u | mag), 0);
    const double d = mag < 0x80 ? 0 : (double)num_bf16_to_f32((num_bf16_t)mag);
    const double steps = floor(fmin(d, 16) * 128 + 0.5);
    const double exact = fmin(steps, 1920) / 128 * (1 + 0.5 - 0.0625);
    CHECK(k == (int)floor(exact + 0.5), "d %g: k %d", d, k);
    CHECK(k >= last && fabs(k - fmin(d, 15) / log(2)) <= 0.6, "d %g: k %d", d, k);
    last = k;
  }
  CHECK(last == K_MAX, "%d", last);
  CHECK(num_expmul_power(NUM_BF16_NEG_INF, NUM_BF16_NEG_INF) == 0, "equal ones are no distance apart");
}

TEST(scaling_is_exact_or_zero) {
  for (uint32_t x = 0; x < 0x10000; ++x) {
    for (int k = 0; k <= K_MAX; ++k) {
      const num_bf16_t y = num_expmul_scale((num_bf16_t)x, (uint8_t)k);
      if ((x & 0x7f80u) == 0x7f80u) {
        CHECK(y == x, "%04x", x);
        continue;
      }
      const double exact = (x & 0x7f80u) == 0 ? 0 : ldexp((double)num_bf16_to_f32((num_bf16_t)x), -k);
      const double expected = fabs(exact) < 0x1p-126 ? 0 : exact;
      CHECK((double)num_bf16_to_f32(y) == expected && (y & 0x8000u) == (x & 0x8000u), "%04x, k %d: %04x", x, k, y);
    }
  }
}
