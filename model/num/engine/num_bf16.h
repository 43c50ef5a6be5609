// Arithmetic of the BF16 units in rtl/fp: what a processing element of the attention engine computes.
//
// Every operation rounds once, to nearest even, into BF16. Subnormal operands count as zero of their
// sign, and a result that rounding leaves subnormal becomes zero of its sign. Every NaN result is
// the canonical NUM_BF16_NAN. Values travel as bits. No state, no failures.
//
// Source: BF16 as in the H-FA paper; the flush of subnormals to zero is ours.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_ENGINE_NUM_BF16_H
#define AMALGAM_NUM_ENGINE_NUM_BF16_H

#include <stdbool.h>
#include <stddef.h>

#include "num/num_format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NUM_BF16_ONE ((num_bf16_t)0x3f80)
#define NUM_BF16_NEG_INF ((num_bf16_t)0xff80)
#define NUM_BF16_NAN ((num_bf16_t)0x7fc0)

// Infinity or NaN.
static inline bool num_bf16_is_special(num_bf16_t x) { return (x & 0x7f80u) == 0x7f80u; }

static inline bool num_bf16_any_special(const num_bf16_t *x, size_t n) {
  unsigned special = 0;
  for (size_t i = 0; i < n; ++i) {
    special |= num_bf16_is_special(x[i]);
  }
  return special != 0;
}

// A subnormal becomes zero of its sign.
static inline num_bf16_t num_bf16_flush(num_bf16_t x) { return (x & 0x7f80u) != 0 ? x : (num_bf16_t)(x & 0x8000u); }

// An operation is done in FP32, whose 24 bits are more than twice the 8 of BF16 and two: rounding a
// sum, product or quotient of two BF16 to FP32 first never changes what it rounds to in BF16.
static inline float num_bf16_operand(num_bf16_t x) { return num_bf16_to_f32(num_bf16_flush(x)); }

static inline num_bf16_t num_bf16_result(float x) {
  return x == x ? num_bf16_flush(num_bf16_from_f32(x)) : NUM_BF16_NAN;
}

static inline num_bf16_t num_bf16_mul(num_bf16_t a, num_bf16_t b) {
  return num_bf16_result(num_bf16_operand(a) * num_bf16_operand(b));
}

static inline num_bf16_t num_bf16_add(num_bf16_t a, num_bf16_t b) {
  return num_bf16_result(num_bf16_operand(a) + num_bf16_operand(b));
}

static inline num_bf16_t num_bf16_div(num_bf16_t a, num_bf16_t b) {
  return num_bf16_result(num_bf16_operand(a) / num_bf16_operand(b));
}

// The larger one in the total order of the bits (-NaN < -inf < ... < -0 < +0 < ... < inf < NaN), so
// that only equal bits tie. Looks at nothing else: a subnormal keeps its bits.
num_bf16_t num_bf16_max(num_bf16_t a, num_bf16_t b);

// a - b, and +0 for equal bits, so that two infinities of one sign are no distance apart.
num_bf16_t num_bf16_diff(num_bf16_t a, num_bf16_t b);

// e^x for x <= 0: rounded to FP32 and from there to BF16. A positive x counts as 0, NaN gives NaN.
num_bf16_t num_bf16_exp(num_bf16_t x);

// The dot product of d elements, rounded once. The exact 16-bit products of the significands are
// aligned to the largest exponent of a nonzero product with 8 guard bits, what falls below being
// cut from the magnitude, and summed as integers. An exact zero is +0. An exponent field of 255 is
// read as an ordinary one: who feeds infinities or NaNs has to mark the result as poisoned.
num_bf16_t num_bf16_dot(const num_bf16_t *a, const num_bf16_t *b, size_t d);

// Queries come to the engine already scaled: bf16(f32(q * scale)), scale being f32(1/sqrt(d)) as a
// rule. No flush here: this is the host's arithmetic.
static inline num_bf16_t num_bf16_scale(num_bf16_t q, float scale) {
  return num_bf16_from_f32(num_bf16_to_f32(q) * scale);
}

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_ENGINE_NUM_BF16_H
