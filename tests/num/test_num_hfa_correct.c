// num_hfa_correct against log2(1 +- 2^-D) itself: near it everywhere, on either side.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/num_hfa.h"
#include "num_test.h"

enum { DISTANCES = 0x10000, OCTAVE = 128 };

static double exact(uint32_t d, bool subtract) {
  const double x = exp2(-(double)d / 128.0);
  return 128.0 * fabs(log2(subtract ? 1.0 - x : 1.0 + x));
}

// At most 1 from the exact value rounded, and no farther than the approximation it replaces.
static void is_within_its_contract(void **state) {
  (void)state;
  for (int subtract = 0; subtract < 2; subtract++) {
    int off_by_one = 0;
    for (uint32_t d = (uint32_t)subtract; d < DISTANCES; d++) {
      const int rounded = (int)floor(exact(d, subtract) + 0.5);
      const int off = abs(num_hfa_correct(d, subtract) - rounded);
      const int paper = abs(num_hfa_pow2(d) - rounded);
      CHECK(off <= (paper > 1 ? 1 : paper), "%s, d %u: %d off, the paper's form %d",
            subtract ? "minus" : "plus", d, off, paper);
      off_by_one += off;
    }
    printf("%s: 1 off for %d distances\n", subtract ? "minus" : "plus", off_by_one);
  }
}

// A long sum goes through all octaves of distances, and a mean error adds up over it: half a unit
// is what cutting instead of rounding would do.
static void has_little_bias(void **state) {
  (void)state;
  for (int subtract = 0; subtract < 2; subtract++) {
    double all = 0.0;
    for (uint32_t octave = 0; octave < 9; octave++) {
      double sum = 0.0;
      for (uint32_t f = octave == 0 ? 1 : 0; f < OCTAVE; f++) {
        const uint32_t d = octave * OCTAVE + f;
        sum += num_hfa_correct(d, subtract) - exact(d, subtract);
      }
      CHECK(fabs(sum / OCTAVE) < 0.35, "%s, octave %u: %g", subtract ? "minus" : "plus", octave,
            sum / OCTAVE);
      all += sum / OCTAVE / 9.0;
    }
    printf("%s: mean error %.3f units\n", subtract ? "minus" : "plus", all);
    assert_true(fabs(all) < 0.1);
  }
}

// x + x is 2x exactly, and far apart nothing happens.
static void ends(void **state) {
  (void)state;
  assert_int_equal(num_hfa_correct(0, false), 128);
  assert_int_equal(num_hfa_correct(1091, false), 1);
  assert_int_equal(num_hfa_correct(1092, false), 0);
  assert_int_equal(num_hfa_correct(1092, true), 0);
  assert_int_equal(num_hfa_correct(65535, true), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_within_its_contract),
      cmocka_unit_test(has_little_bias),
      cmocka_unit_test(ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
