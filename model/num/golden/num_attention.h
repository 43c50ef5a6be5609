// Attention for one set of queries over one set of keys, four times:
//
//   num_attn_golden  FP64, untiled, the textbook formula: what the answer is
//   num_attn_base    Algorithm 1 of the AMLA paper, bit for bit as the contract fixes it
//   num_attn_amla    Algorithm 2, corrected, likewise
//   num_attn_flash   Base for heads of their own: sums as trees, zeros without a sign
//
// The golden function shares nothing with the others but the conversion of elements, so that it
// can judge them. The tiled ones return the FP32 value before the last cast; the result proper is
// num_bf16_from_f32 of it, or num_fp16_from_f32.
//
// Source: NUMERICS.md sections 2 to 6.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_GOLDEN_NUM_ATTENTION_H
#define AMALGAM_NUM_GOLDEN_NUM_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/product/num_matmul.h"

#ifdef __cplusplus
extern "C" {
#endif

// In which order a row's P of a block are added up: ascending; or columns 64.. onto 0..63, ascending, then
// halves onto halves (NUMERICS.md section 3).
typedef enum { NUM_ROW_SUM_CHAIN, NUM_ROW_SUM_TREE } num_row_sum_t;

#define NUM_ATTN_LEAST_CAP 0x1p-20f
#define NUM_ATTN_LARGEST_CAP 0x1p60f

// All strides in elements; nothing is owned, nothing is written. Inputs hold no NaN.
typedef struct {
  size_t rows;             // G: queries (heads x query positions)
  size_t keys;             // S; with an index list: its places
  size_t dk;               // length of a query and of a key
  size_t dv;               // length of a value
  const uint16_t *q;       // [rows, dk] BF16, contiguous
  const uint16_t *k;       // [keys, dk] BF16, row stride ldk
  size_t ldk;              // >= dk
  const uint16_t *v;       // [keys, dv] BF16, row stride ldv; may alias k (MLA: its first columns)
  size_t ldv;              // >= dv
  bool fp16;               // Q, K, V and P are FP16 and not BF16
  num_row_sum_t row_sum;   // of P in a block
  const uint32_t *seen;    // [rows]: the row sees keys 0 .. seen - 1 at most; NULL: all
  const uint8_t *visible;  // [rows, keys] contiguous, 1: the key takes part; NULL: all do
  const int32_t *index;    // [keys]: whose key and value stand at a place, in any order, more than
                           // once if need be; -1: nobody's, masked for all rows; NULL: its own
  const float *sink;       // [rows]: one more score, of a key without a value: it joins the sum of
                           // the exponentials alone; -inf: none, +inf: the output is 0; NULL: none
  float scale;             // scores are multiplied by this, e.g. 1/sqrt(dk)
  float cap;      // then they are cap tanh(score / cap), NUM_ATTN_LEAST_CAP .. NUM_ATTN_LARGEST_CAP; 0: as they are
  size_t block;   // keys per block (512); the last one may be ragged; golden ignores it
  size_t splits;  // runs of blocks, merged at the end; 0 is 1; at most one a block;
                  // golden ignores it
} num_attn_t;

// out [rows, dv]. A row that sees no key gives 0. Returns 0, or -1 when out of memory (out is then
// untouched).
__attribute__((warn_unused_result)) int num_attn_golden(const num_attn_t *attn, double *out);

// As num_attn_golden, and lse [rows]: the natural logarithm of the sum of a row's exponentials, without the
// sink; +inf for a row that sees no key.
int num_attn_golden_lse(const num_attn_t *attn, double *out, double *lse);

// And largest [rows]: the largest absolute value of a row's running maximum after any of its blocks; 0 if there is
// none. lse and largest may be NULL.
int num_attn_golden_more(const num_attn_t *attn, double *out, double *lse, double *largest);

// AMLA's scores are good up to this, by num_attn_golden_more's largest: docs/amla.md derives it.
#define NUM_ATTN_AMLA_LARGEST 0x1p23

// out_f32 [rows, dv]: O / l before the cast to BF16. Returns 0, or -1 with out_f32 untouched: out
// of memory, block is 0, or this host lacks isa. Every isa gives the same bits.
__attribute__((warn_unused_result)) int num_attn_base(const num_attn_t *attn, num_isa_t isa, float *out_f32);

// As num_attn_base, with trees whatever row_sum says, O = fma(O, M_up, T), and +0 for every zero.
__attribute__((warn_unused_result)) int num_attn_flash(const num_attn_t *attn, num_isa_t isa, float *out_f32);

// Ablations of AMLA, ORed together; 0 is the contract.
enum {
  NUM_ATTN_NO_COMPENSATION = 1u,  // eps = 0
  NUM_ATTN_PRINTED_C = 2u,        // line 9 as the paper prints it, c = S32 / S16
  NUM_ATTN_RAW_ADD = 4u,          // the integer add without its guards
  NUM_ATTN_SKIP_NOOP = 8u,        // N = 0 where m is still the same (no ablation: --skip-noop)
};

// As num_attn_base, for AMLA. The guard cases met by the integer adds (NUM_GM_GUARD_*) are ORed
// into *guards, which may be NULL.
__attribute__((warn_unused_result)) int num_attn_amla(const num_attn_t *attn, num_isa_t isa, unsigned flags,
                                                      float *out_f32, uint32_t *guards);

// As num_attn_amla, and lse [rows], as num_attn_golden_lse's.
int num_attn_amla_lse(const num_attn_t *attn, num_isa_t isa, unsigned flags, float *out_f32, float *lse,
                      uint32_t *guards);

typedef struct {
  double rel_fro;   // ||x - g|| / ||g||, Frobenius; if g is all zero ||x - g||, and
  bool absolute;    // says so
  double max_abs;   // largest |x - g|
  double cos_diff;  // 1 - 2 sum(x g) / (sum x^2 + sum g^2); 0 if both are all zero
} num_error_t;

// Compares x [n] with golden [n]. A NaN in x makes all three errors NaN.
void num_error(const double *golden, const float *x, size_t n, num_error_t *error);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_GOLDEN_NUM_ATTENTION_H
