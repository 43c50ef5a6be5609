// ExpMul: FA-2's engine with exponentials that are powers of two, so that e^d x is a subtraction in the exponent of x.
//
// Same triplets, same order of operations as num_fa2.h; empty triplets and the division at the end are FA-2's.
//
// Source: Alexandridis, Titopoulos, Dimitrakopoulos, "Low-Cost FlashAttention with Fused Exponential and
// Multiplication Hardware Operators", arXiv 2505.14314; NUMERICS.md section 9.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_ENGINE_NUM_EXPMUL_H
#define AMALGAM_NUM_ENGINE_NUM_EXPMUL_H

#include <stddef.h>

#include "num/engine/num_triplet.h"

#ifdef __cplusplus
extern "C" {
#endif

// k of e^(a - b) = 2^-k, for a <= b: 0 .. 22.
uint8_t num_expmul_power(num_bf16_t a, num_bf16_t b);

// x * 2^-k, k of num_expmul_power(). Subnormals are zero, in and out; infinities and NaNs stay.
num_bf16_t num_expmul_scale(num_bf16_t x, uint8_t k);

// One FAU: continues the triplet by n keys, in order. Arguments as of num_hfa_fau().
void num_expmul_fau(size_t d, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v, const uint8_t *valid,
                    size_t n, num_triplet_t *triplet);

// One ACC: a := a merged with b.
void num_expmul_acc(size_t d, num_triplet_t *a, const num_triplet_t *b);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_ENGINE_NUM_EXPMUL_H
