// A product of activations with weights: arrays and shape, as the kernels w4a16, w8a8 and gemm, golden functions and
// reports see it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_GEMM_GEMM_PROBLEM_H
#define AMALGAM_KERNEL_GEMM_GEMM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/w4a16/w4a16_args.h"
#include "num/golden/num_w4a16.h"

typedef struct gemm_problem {
  size_t m, n, k;
  bool quantised;           // w4a16, else gemm
  num_half_t type;          // of a, b and a result that is not FP32
  enum gemm_layout layout;  // of b in global memory; of gemm
  size_t group;             // rows that share a scale
  bool is_unsigned;         // nibbles
  enum w4a16_zeros zeros;   // how w - zero can be computed
  uint16_t *a;              // [m][k]; this and the others NULL with timing only
  uint32_t *w;              // quantised: [k][n / 8]
  uint16_t *scale;          // [k / group][n]
  uint16_t *zero;           // likewise, or NULL
  uint16_t *b;              // [k][n]: gemm's weights, or the contract's dequantised ones
  bool s8;                  // of gemm: 8-bit integers, in place of a and b
  bool scaled;              // ... whose result is FP16, times a scale a column, and not S32
  bool w8a8;                // activations a, which become a_s8, times b_s8
  bool has_smooth;          // ... and which are multiplied by factors of columns before
  int8_t *a_s8, *b_s8;      // [m][k], [k][n]
  float *column_scale;      // [n]
  float *row_scale;         // [m], of w8a8's a_s8; as that the contract's
  float *smooth;            // [k]
  char source[200];         // where the data came from, for people
} gemm_problem_t;

// Frees the arrays and zeroes the struct.
void gemm_free(gemm_problem_t *problem);

// The quantised weights, as the numerics library has them.
num_w4_t gemm_weights(const gemm_problem_t *problem);

#endif
