// INT4 weights: arrays of the packed words of num_format.h, and a quantiser by groups.
//
// A nibble is signed (-8..7, two's complement) or unsigned (0..15); the word's layout is the same.
// With scale s and zero z of its group a nibble q stands for s * (q - z).
//
// Source: NUMERICS.md section 1.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_INT4_H
#define AMALGAM_NUM_NUM_INT4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/num_format.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum num_nibbles { NUM_NIBBLES_SIGNED, NUM_NIBBLES_UNSIGNED } num_nibbles_t;

// Range of a nibble: num_int4_least() .. num_int4_least() + 15.
static inline int num_int4_least(num_nibbles_t nibbles) { return nibbles == NUM_NIBBLES_SIGNED ? -8 : 0; }

// words [n / 8] to values [n] and back; n is a multiple of 8, values are in range.
void num_int4_unpack(num_nibbles_t nibbles, const uint32_t *words, int8_t *values, size_t n);
void num_int4_pack(const int8_t *values, uint32_t *words, size_t n);

// Weights w [k, n] to values [k, n] and, for each `group` rows of a column, a scale and (with zero)
// a zero, both [k / group, n]; group divides k; finite weights.
//
//   zero NULL: s = fp16(amax / 7)           q = rint(w / s) in -8..7     (nibbles are signed)
//   else:      s = fp16((max - min) / 15)   z = rint(-min / s) in 0..15
//                                           q = rint(w / s) + z in 0..15
//              with max, min including 0; for signed nibbles z and q are 8 less
//
// in FP32, RNE; s is 1 where all weights are 0. A scale below FP16's least number is that; one
// beyond its largest is infinite: false, with *bad the group's index in [k / group, n].
bool num_int4_quantise(num_nibbles_t nibbles, const float *w, size_t k, size_t n, size_t group, int8_t *values,
                       num_fp16_t *scale, num_fp16_t *zero, size_t *bad);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_NUM_INT4_H
