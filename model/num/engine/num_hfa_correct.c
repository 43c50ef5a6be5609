// The table form of log2(1 +- 2^-D), bit for bit rtl/hfa/hfa_correct.v; where the numbers come from
// is told there.
// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_hfa.h"

enum {
  ADD_NEAR_D = 256,  // where 1 + 2^-D has an entry for eight d
  REACH_D = 1136,    // from where on nothing is left
};

// 1 + 2^-D: by the eights, and by the sixteens from d = 256 on.
static const uint8_t ADD_NEAR[ADD_NEAR_D / 8] = {
    128, 122, 119, 115, 111, 107, 105, 101, 97, 95, 91, 88, 85, 82, 79, 76,
    74,  71,  69,  66,  64,  61,  59,  57,  55, 53, 51, 49, 47, 45, 44, 42,
};
static const uint8_t ADD[(REACH_D - ADD_NEAR_D) / 16] = {
    40, 36, 34, 31, 29, 27, 25, 23, 21, 19, 18, 16, 15, 14, 13, 12, 11, 10, 9, 8, 8, 7, 7, 6, 5, 5, 5, 4,
    4,  4,  3,  3,  3,  3,  2,  2,  2,  2,  2,  1,  1,  1,  1,  1,  1,  1,  1, 1, 1, 1, 1, 1, 1, 1, 1,
};

// 1 - 2^-D, by the sixteens. d = 0 is never asked for.
static const uint16_t SUBTRACT[REACH_D / 16] = {
    585, 393, 304, 249, 210, 180, 157, 137, 121, 105, 97, 85, 78, 69, 62, 56, 51, 46, 42, 38, 35, 31, 28, 26,
    23,  22,  20,  18,  16,  15,  14,  12,  11,  10,  10, 9,  8,  7,  7,  6,  6,  5,  5,  4,  4,  4,  3,  3,
    3,   3,   2,   2,   2,   2,   2,   1,   1,   1,   1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,
};

uint16_t num_hfa_correct(uint32_t d, bool subtract) {
  if (d >= REACH_D) {
    return 0;
  }
  if (subtract) {
    return SUBTRACT[d / 16];
  }
  return d < ADD_NEAR_D ? ADD_NEAR[d / 8] : ADD[(d - ADD_NEAR_D) / 16];
}
