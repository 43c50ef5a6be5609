// The result of attention over some keys, in a form to which more keys can be added.
//
//   m       the largest score so far, BF16; -inf before the first key
//   o[0]    l, the sum of the exponentials        each an element of 17 bits:
//   o[1+c]  the unnormalised output, column c       bit 16     sign
//                                                   bits 15..0 magnitude
//
// In H-FA a magnitude is log2|x| in Q9.7, two's complement, 0x8000 for log2(0). In FA-2 it is the BF16
// of |x|, bit 15 always 0. The RTL's ports carry triplets in exactly this form.
//
// Source: H-FA paper, section III-B and figure 4.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_ENGINE_NUM_TRIPLET_H
#define AMALGAM_NUM_ENGINE_NUM_TRIPLET_H

#include <stdbool.h>
#include <stdint.h>

#include "num/engine/num_bf16.h"

typedef uint32_t num_element_t;

#define NUM_ELEMENT_SIGN 0x10000u

typedef struct num_triplet {
  num_bf16_t m;
  bool poison;       // an infinity or NaN was among the inputs; the rest then means nothing
  num_element_t *o;  // d + 1 elements, the caller's
} num_triplet_t;

#endif  // AMALGAM_NUM_ENGINE_NUM_TRIPLET_H
