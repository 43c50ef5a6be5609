// The cube's arithmetic: C[m][n] (+)= sum over k of A[m][k] * B[k][n], in FP32.
//
//                n                    A[i][p] is a[i * lda + p]
//             +-----+                 B[p][j] is b[p * ldb + j]
//           k |  B  |                 C[i][j] is c[i * ldc + j]
//             +-----+                 strides in elements, rows contiguous
//         k
//      +-----+-----+
//    m |  A  |  C  |
//      +-----+-----+
//
// Each element is one chain of exactly k fused multiply-adds, p ascending, that starts from C
// (accumulate) or from +0: acc = fmaf(a, b, acc). Nothing is reordered, split, padded or flushed,
// so every implementation here returns the same bits (except which NaN a NaN is). The SIMD ones put
// different n into their lanes, never different k.
//
// Any m, n, k including 0, any strides >= the row lengths, any alignment. C must not overlap A or
// B. No allocation, under 4 KB of stack; cannot fail.
//
// Source: NUMERICS.md section 2.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_PRODUCT_NUM_MATMUL_H
#define AMALGAM_NUM_PRODUCT_NUM_MATMUL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void num_matmul_fn(size_t m, size_t n, size_t k,  //
                           const float *a, size_t lda,    // [m, k]
                           const float *b, size_t ldb,    // [k, n]
                           float *c, size_t ldc,          // [m, n]
                           bool accumulate);

// Three plain loops: the definition.
num_matmul_fn num_matmul_ref;

typedef enum {
  NUM_ISA_AUTO,      // the fastest this host has
  NUM_ISA_PORTABLE,  // C only; slow where the compiler's baseline has no FMA instruction
  NUM_ISA_AVX2,      // AVX2 and FMA
  NUM_ISA_AVX512,    // AVX-512 F
} num_isa_t;

// The kernel for isa, or NULL if this host (or this build) lacks it. AUTO and PORTABLE never fail.
num_matmul_fn *num_matmul_select(num_isa_t isa);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_PRODUCT_NUM_MATMUL_H
