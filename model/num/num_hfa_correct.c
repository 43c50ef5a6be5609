// The table form of log2(1 +- 2^-D), bit for bit rtl/hfa/hfa_correct.v; where the numbers come from
// is told there.
// SPDX-License-Identifier: Apache-2.0
#include "num/num_hfa.h"

enum {
  OCTAVE = 1 << NUM_HFA_FRACTION_BITS,
  MIDDLE_OCTAVES = 5,  // served by a straight line and its correction
};

// Subtracting, d = 0 .. 127; 0 is never asked for.
static const uint16_t NEAR[OCTAVE] = {
    965, 965, 837, 763, 709, 669, 635, 607, 583, 563, 543, 527, 511, 497, 483, 471, 459, 449, 439,
    429, 421, 411, 403, 397, 389, 381, 375, 369, 363, 357, 351, 345, 339, 335, 329, 325, 319, 315,
    311, 307, 303, 299, 295, 291, 287, 283, 279, 275, 273, 269, 265, 263, 259, 257, 253, 251, 247,
    245, 243, 239, 237, 235, 231, 229, 227, 225, 223, 219, 217, 215, 213, 211, 209, 207, 205, 203,
    201, 199, 197, 195, 193, 191, 189, 187, 185, 185, 183, 181, 179, 177, 175, 175, 173, 171, 169,
    169, 167, 165, 163, 163, 161, 159, 159, 157, 155, 155, 153, 151, 151, 149, 147, 147, 145, 145,
    143, 141, 141, 139, 139, 137, 137, 135, 135, 133, 133, 131, 131, 129,
};

// Added to the straight line, by what it gives: for 1 + 2^-D and for 1 - 2^-D.
static const int8_t CORRECTION[2][OCTAVE] = {
    {
        3, 3, 3, 3, 3, 3, 3, 3,  3,  3,  3,  4,  5,  5,  5,  6,  7,  7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 8, 9, 9, 9, 9, 9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9, 9, 9, 9, 9, 9, 9, 9, 9,
        9, 9, 9, 9, 9, 9, 9, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 9, 9, 9, 9, 9, 9, 9, 7, 7,
        7, 7, 7, 7, 7, 7, 5, 5,  5,  5,  5,  5,  5,  5,  5,  3,  3,  3, 3, 3, 3, 3, 3, 3, 3, 3,
        3, 3, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1, 1, 1, 1, 1, 1, 1,
    },
    {
        -1,  -1,  -1,  -1,  -1,  -1,  -1,  -1,  -1,  -3,  -3,  -3,  -3,  -3,  -3,  -3,
        -3,  -5,  -5,  -5,  -5,  -5,  -5,  -7,  -7,  -7,  -7,  -7,  -7,  -7,  -7,  -7,
        -7,  -7,  -7,  -9,  -9,  -9,  -9,  -9,  -9,  -11, -11, -11, -11, -11, -11, -11,
        -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11,
        -11, -11, -11, -11, -11, -11, -13, -13, -13, -13, -13, -13, -13, -13, -13, -15,
        -15, -15, -15, -15, -15, -15, -15, -15, -15, -15, -15, -15, -15, -15, -15, -15,
        -15, -15, -15, -15, -15, -13, -13, -13, -13, -13, -13, -13, -11, -11, -11, -11,
        -11, -9,  -9,  -9,  -9,  -7,  -7,  -7,  -5,  -5,  -3,  -3,  -3,  -1,  -1,  1,
    },
};

// The first d of 5, 4, 3, 2, 1 and 0; below the first one it is 6.
static const uint16_t FAR[] = {648, 684, 732, 792, 888, 1092};

static uint16_t far_value(uint32_t d) {
  uint16_t t = 0;
  for (size_t i = 0; i < sizeof FAR / sizeof FAR[0]; ++i) {
    t = (uint16_t)(t + (d < FAR[i] ? 1 : 0));
  }
  return t;
}

uint16_t num_hfa_correct(uint32_t d, bool subtract) {
  const uint32_t octave = d >> NUM_HFA_FRACTION_BITS;
  const uint32_t f = d & (OCTAVE - 1);
  if (subtract && octave == 0) {
    return NEAR[f];
  }
  const uint32_t shift = octave - (subtract ? 1 : 0);
  if (shift >= MIDDLE_OCTAVES) {
    return far_value(d);
  }
  const uint32_t line = ((2u * OCTAVE - 1u - f) >> 1) >> shift;  // 64 (2 - f), cut
  return (uint16_t)((int)line + CORRECTION[subtract ? 1 : 0][line]);
}
