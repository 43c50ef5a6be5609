// The vector core's functions of one number. First its exponential: e^x rounded to the nearest FP32.
//
// "Nearest" is (float)exp((double)x): an FP64 exp rounded once. -inf gives +0, +inf and overflow
// give +inf, results down to 2^-149 are kept (no flush to zero), NaN gives NaN.
//
// And its natural logarithm, for the log-sum-exp of a row: an FP64 log rounded once.
//
// And its reciprocal square root, exactly rounded.
//
// Source: NUMERICS.md sections 3 and 6.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_EXP_H
#define AMALGAM_NUM_NUM_EXP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

float num_exp32(float x);

// (float)log((double)x): 0 gives -inf, what is below 0 and NaN give NaN.
float num_ln32(float x);

// y[i] = num_exp32(x[i]) for i < n, bit for bit, on any host. y may be x itself, but the two must
// not overlap otherwise.
void num_exp32_n(const float *x, float *y, size_t n);

// y[i] = num_ln32(x[i]), likewise; not made for speed.
void num_ln32_n(const float *x, float *y, size_t n);

// y[i] = 1 / sqrt(x[i]) rounded once, to nearest even: +inf for 0, -inf for -0 and NaN below, as IEEE 754's rSqrt. y
// may be x itself.
void num_rsqrt32_n(const float *x, float *y, size_t n);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_NUM_EXP_H
