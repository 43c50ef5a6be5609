// Matrix products of FP16 values, with weights that may be 4-bit integers: c = a x B,
//
//   B[p][j] = fp16(scale[p / group][j] * (w[p][j] - zero[p / group][j]))      rounded once
//
// as the contract has it (slices of k, whose FP32 sums are added one after the other) and as the
// textbook has it (FP64, untiled).  Plain loops.
//
// Source: NUMERICS.md section 7.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_GOLDEN_NUM_W4A16_H
#define AMALGAM_NUM_GOLDEN_NUM_W4A16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/num_format.h"

#ifdef __cplusplus
extern "C" {
#endif

// Quantised weights, all contiguous.  Nothing is owned.
typedef struct num_w4 {
  size_t k, n;              // n a multiple of 8
  size_t group;             // rows that share a scale; divides k
  const uint32_t *w;        // [k, n / 8] words of eight nibbles, the lowest is the lowest n
  bool is_unsigned;         // 0..15, else -8..7
  const num_fp16_t *scale;  // [k / group, n]
  const num_fp16_t *zero;   // likewise; NULL: 0
} num_w4_t;

// One element.
num_fp16_t num_w4_value(int w, num_fp16_t scale, num_fp16_t zero);

// One before it is rounded to FP16.
double num_w4_exact(const num_w4_t *weights, size_t row, size_t col);

// b [k, n].
void num_w4_dequantise(const num_w4_t *weights, num_fp16_t *b);

// Is w - zero an FP16 number for every nibble, so that subtracting in FP16 rounds nothing?
bool num_w4_half_zero(num_fp16_t zero, bool is_unsigned);

// Rows of slice i of k rows, of `splits`: from num_w4_slice(k, splits, i) to before
// num_w4_slice(k, splits, i + 1).
static inline size_t num_w4_slice(size_t k, size_t splits, size_t i) { return i * k / splits; }

// The type of a and b.
typedef enum num_half { NUM_HALF_FP16, NUM_HALF_BF16 } num_half_t;

// c [m, n] = a [m, k] x b [k, n], columns first .. end - 1 only, before the last cast.  Each slice
// is one chain of fused multiply-adds from +0, k ascending; the slices' sums are added in FP32,
// ascending, to the first one's.  False: out of memory.
bool num_half_matmul(num_half_t type, size_t m, size_t n, size_t k, size_t splits, const uint16_t *a, const uint16_t *b,
                     size_t first, size_t end, float *c);

// The product in FP64, untiled: each product exact, sums in ascending k.
bool num_half_matmul_golden(num_half_t type, size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b,
                            size_t first, size_t end, double *c);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_GOLDEN_NUM_W4A16_H
