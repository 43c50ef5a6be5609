// The language model's operations on single rows, in FP32.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_OPS_H
#define AMALGAM_LLM_LM_LM_OPS_H

#include <stddef.h>

// out[i] = x[i] / sqrt(mean(x^2) + 1e-5) * weight[i]. out may be x.
void lm_rmsnorm(const float *x, const float *weight, size_t dim, float *out);

// The rotations of rotary embedding: at a position, pair p turns by position * 10000^(-2p/head_dim).
// turn [head_dim] holds cosine and sine of each pair.
void lm_rope_turn(size_t position, size_t head_dim, float *turn);

// Rotates the pairs (2p, 2p + 1) of every head of x [heads,head_dim].
void lm_rope(float *x, size_t heads, size_t head_dim, const float *turn);

// gate[i] = gate[i] / (1 + e^-gate[i]) * up[i]
void lm_swiglu(float *gate, const float *up, size_t hidden);

#endif  // AMALGAM_LLM_LM_LM_OPS_H
