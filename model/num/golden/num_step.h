// Operations of a decode step outside of attention and products, as the contract has them: the bits that kernel step
// (sw/kernels/step) computes. Plain loops over host arrays; nothing of the firmware is used.
//
// Strides are in elements unless they are called bytes. Types are TYPE_* of hal/command.h. Results must not overlap
// is read, unless said otherwise. The contract does not say which NaN a NaN is.
//
// Source: NUMERICS.md section 8.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_GOLDEN_NUM_STEP_H
#define AMALGAM_NUM_GOLDEN_NUM_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/num_format.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  NUM_STEP_PART = 2048,    // columns that one tree sums
  NUM_STEP_EXPERTS = 512,  // at most
  NUM_STEP_HEAD = 512,     // columns of a head, at most
};

// Sum of a row of 1 or more: trees (section 3) over NUM_STEP_PART columns each, added to the first one's in ascending
// order.
float num_step_row_sum(const float *x, size_t cols);

// f32(1 / sqrt(mean(x^2) + eps)) of a row.
float num_step_scale(const float *x, size_t cols, float eps);

// x[r] = row tokens[r] of the table times scale; its rows of TYPE_BF16 or TYPE_F16 are table_stride apart.
void num_step_embed(const int32_t *tokens, size_t rows, const uint16_t *table, size_t table_stride, uint32_t type,
                    size_t cols, float scale, float *x);

// out = x + delta, y = the type's of (out * scale) * weight. delta [rows,cols]; NULL: out is x. out [rows,cols], may be
// x if that is packed; NULL: not wanted. y: TYPE_F16, TYPE_BF16 or TYPE_F32. weight NULL: y is the type's of out.
void num_step_norm(const float *x, size_t x_stride, const float *delta, const float *weight, float eps, size_t rows,
                   size_t cols, float *out, uint32_t type, void *y, size_t y_stride);

// Angles of a token at `position`, as ROPE and CACHE take them: [2][rope], of each column its cosine, then its sine,
// negative in even columns, times magnitude. FP64, rounded once; pair i turns by position * turn[i].
void num_step_angles(size_t position, size_t rope, const double *turn, double magnitude, float *angles);

// The same for HEADS: pairs are columns i and rope / 2 + i, sines negative in the first half.
void num_step_angles_by_halves(size_t position, size_t rope, const double *turn, double magnitude, float *angles);

// A row of `rope` columns rotated: bf16(fma(its pair's other one, sine, f32(x * cosine))).
void num_step_rotate(const float *x, const float *angles, size_t rope, num_bf16_t *out);

typedef struct num_step_rows {  // of heads, columns side by side
  size_t token, head;           // strides
} num_step_rows_t;

// q: FP16, the first column to rotate of token 0, head 0; out likewise. angles [tokens,2,rope].
void num_step_rope(const num_fp16_t *q, num_step_rows_t q_rows, const float *angles, size_t tokens, size_t heads,
                   size_t rope, num_bf16_t *out, num_step_rows_t out_rows);

// Heads of `dim` columns: with a weight [dim] (x * scale) * weight, with num_step_scale; then the first `rope` columns
// rotated by halves, fma(x[the pair's other one], sine, f32(x * cosine)), angles [tokens,2,rope] with sines negative in
// the first half; then cast to TYPE_F16 or TYPE_BF16.
typedef struct num_step_heads {
  size_t dim, rope;
  const float *weight;  // NULL: none
  float eps;
  uint32_t type;
} num_step_heads_t;

// One head: x [dim], out [dim], angles [2,rope] of its token.
void num_step_head(const num_step_heads_t *shape, const float *x, const float *angles, uint16_t *out);

typedef enum num_step_cache_kind { NUM_STEP_BF16, NUM_STEP_FP8, NUM_STEP_FP8_UE8M0 } num_step_cache_kind_t;

// Token t is entry t / tokens_of_entry's, at place past + t % tokens_of_entry.
typedef struct num_step_cache {
  num_step_cache_kind_t kind;
  size_t tokens, tokens_of_entry, past;
  size_t latent, rope;  // FP8: 512 and 64
  size_t batch_bytes, place_bytes;
} num_step_cache_t;

// kv [tokens], kv_stride apart: latent columns, which are normalised, then rope columns, which are rotated. cache: BF16
// [latent + rope] a place, or a token of num_fp8.h made of these. Other places stay as they are.
void num_step_cache(const num_step_cache_t *shape, const float *kv, size_t kv_stride, const float *weight, float eps,
                    const float *angles, uint8_t *cache);

typedef enum num_step_gating { NUM_STEP_SILU, NUM_STEP_GELU, NUM_STEP_LIMITED } num_step_gating_t;

// out = silu(gate) * up, or another gating of step_args.h. in [rows][2][cols]: gate, then up. Both of TYPE_F16 or
// TYPE_BF16.
typedef struct num_step_swiglu {
  uint32_t type;
  num_step_gating_t gating;
  float limit;
} num_step_swiglu_t;

void num_step_swiglu(const num_step_swiglu_t *how, const uint16_t *in, size_t in_stride, size_t rows, size_t cols,
                     uint16_t *out, size_t out_stride);

typedef struct num_step_gate {
  size_t tokens, experts, top;  // experts at most NUM_STEP_EXPERTS, top at most experts
  bool sigmoid;                 // scores; else softmax
  bool normalise;               // weights are divided by their sum
  float scale;
  size_t groups, kept;  // a token takes experts of its best `kept` of so many groups of the same size; equal: of all
} num_step_gate_t;

// logits [tokens,experts]; bias [experts] or NULL. chosen, weights [tokens,top], best first. Where a NaN leaves no
// largest one, chosen is INT32_MAX, which is no expert.
void num_step_gate(const num_step_gate_t *gate, const float *logits, const float *bias, int32_t *chosen,
                   float *weights);

// Rows of gathered arrays, slots, in order of expert, then token, then place, of experts first .. first + here - 1.
typedef struct num_step_routing {
  const int32_t *chosen;  // [tokens,top]
  size_t tokens, top;
  size_t first, here;
} num_step_routing_t;

// slot [tokens,top], -1 for an expert that is not here; begin [here + 1]: expert first + i has the slots
// begin[i] .. begin[i + 1] - 1.
void num_step_route(const num_step_routing_t *routing, int32_t *slot, size_t *begin);

// out [slots] = x [tokens] by slot, rows `stride` apart in both.
void num_step_gather(const num_step_routing_t *routing, const int32_t *slot, const num_fp16_t *x, size_t cols,
                     size_t stride, num_fp16_t *out);

// out[t] = shared[t] + sum over j of weights[t][j] * y[slot[t][j]], a chain of fused multiply-adds, j ascending,
// without those whose slot is -1. shared NULL: +0. All packed.
void num_step_combine(const num_step_routing_t *routing, const int32_t *slot, const float *y, const float *weights,
                      const float *shared, size_t cols, float *out);

// y = f32(x * factors[column]), factors NULL: x. scale[r] = f32(max(largest |y|, 2^-100) / 127), out = y / scale[r] to
// nearest even, saturating; a row with anything that is not finite has a NaN for a scale, and zeros. x of TYPE_F16 or
// TYPE_BF16; out [rows,cols].
void num_step_quantise(const uint16_t *x, size_t x_stride, uint32_t type, const float *factors, size_t rows,
                       size_t cols, int8_t *out, float *scale);

// A row of a cache in 8 bits, of TYPE_S8 or TYPE_E4M3: codes = x / scale to nearest even, saturating, scale =
// f32(max(largest |x|, 2^-100) / 127 or 448), a NaN if anything is not finite; and back, bf16(f32(code * scale)).
void num_step_pack(const uint16_t *x, size_t cols, uint32_t type, uint8_t *codes, float *scale);
void num_step_unpack(const uint8_t *codes, size_t cols, uint32_t type, float scale, uint16_t *out);

typedef struct num_step_dequantise {
  const float *scale, *columns, *bias;  // [rows], [cols], [cols]; bias NULL: none
  uint32_t type;                        // of c: TYPE_F32, TYPE_F16 or TYPE_BF16
} num_step_dequantise_t;

// c = type((f32(sum) * scale) * column's + bias), each rounded to FP32.
void num_step_dequantise(const num_step_dequantise_t *how, const int32_t *sums, size_t sums_stride, size_t rows,
                         size_t cols, void *c, size_t c_stride);

// out[r] = the number of the largest of row r, of equal ones the lowest. NaNs are passed over; 0 if nothing is above
// -inf.
void num_step_argmax(const float *x, size_t stride, size_t rows, size_t cols, int32_t *out);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_GOLDEN_NUM_STEP_H
