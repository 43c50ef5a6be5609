// Products of 8-bit integers: sums in S32, and FP16 of them by a scale.
// Source: NUMERICS.md section 2.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_GOLDEN_NUM_S8_H
#define AMALGAM_NUM_GOLDEN_NUM_S8_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A column of a product: sum[i] = a[i][0] column[0] + a[i][1] column[1] + ..., modulo 2^32; a [m][k].
void num_s8_column(size_t m, size_t k, const int8_t *a, const int8_t *column, int32_t *sum);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_GOLDEN_NUM_S8_H
