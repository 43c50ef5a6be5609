// Made-up activations and weights.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_GEMM_GEMM_MADE_UP_H
#define AMALGAM_KERNEL_GEMM_GEMM_MADE_UP_H

#include "kernel/gemm/gemm.h"

// Allocates and fills the arrays for the shape in *problem: activations, and gemm's weights, as the
// distribution says, of eleven bits; nibbles of all values alike, scales from 0.005 to 0.015, zero
// points within 2.4 of 0, or of 8 if nibbles are unsigned.
bool gemm_make_up(gemm_problem_t *problem, const made_up_t *made_up, gemm_zeros_t zeros, base_error_t *error);

#endif
