// Made-up activations and weights.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_HALF_MADE_UP_H
#define CLI_HALF_MADE_UP_H

#include "cli/half/half_problem.h"
#include "cli/run/made_up.h"

typedef enum half_zeros { HALF_ZEROS_NONE, HALF_ZEROS_INTEGER, HALF_ZEROS_FRACTION } half_zeros_t;

// Allocates and fills the arrays for the shape in *problem: activations, and gemm's weights, as the
// distribution says, of eleven bits; nibbles of all values alike, scales from 0.005 to 0.015, zero
// points within 2.4 of 0, or of 8 if nibbles are unsigned.
bool half_make_up(half_problem_t *problem, const made_up_t *made_up, half_zeros_t zeros,
                  cli_error_t *error);

#endif
