// A walk's operations on rows in FP64.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_WALK_ROWS_H
#define AMALGAM_LLM_WALK_ROWS_H

#include "llm/checkpoint/checkpoint.h"

// y [n,out] = x [n,in] W^T for a matrix W [out,in]. False: the file could not be read.
__attribute__((warn_unused_result)) bool rows_product(const checkpoint_tensor_t *w, const double *x, size_t n,
                                                      double *y, size_t threads, base_error_t *error);

// Rows of width `columns`, `stride` apart: y = x / sqrt(mean(x^2) + eps) * w. y may be x.
__attribute__((warn_unused_result)) bool rows_rmsnorm(const checkpoint_tensor_t *w, double eps, const double *x,
                                                      size_t n, size_t stride, double *y, base_error_t *error);

// Rotates the pairs (2p, 2p + 1) of x [dim].
void rows_rope(double *x, size_t dim, const checkpoint_rope_t *rope, size_t position, size_t context);

// Or the pairs (p, dim / 2 + p).
void rows_rope_halves(double *x, size_t dim, const checkpoint_rope_t *rope, size_t position, size_t context);

// A vector, or rows first .. first + rows - 1 of a matrix.
__attribute__((warn_unused_result)) bool rows_read(const checkpoint_tensor_t *w, size_t first, size_t rows, double *out,
                                                   base_error_t *error);

#endif
