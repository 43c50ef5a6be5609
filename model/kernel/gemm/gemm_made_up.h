// Made-up activations and weights.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_GEMM_MADE_UP_H
#define KERNEL_GEMM_MADE_UP_H

#include "cli/run/made_up.h"
#include "kernel/gemm/gemm_problem.h"

typedef enum gemm_zeros { GEMM_ZEROS_NONE, GEMM_ZEROS_INTEGER, GEMM_ZEROS_FRACTION } gemm_zeros_t;

// Allocates and fills the arrays for the shape in *problem: activations, and gemm's weights, as the
// distribution says, of eleven bits; nibbles of all values alike, scales from 0.005 to 0.015, zero
// points within 2.4 of 0, or of 8 if nibbles are unsigned.
bool gemm_make_up(gemm_problem_t *problem, const made_up_t *made_up, gemm_zeros_t zeros,
                  base_error_t *error);

#endif
