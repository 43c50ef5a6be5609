// PRODUCT_S8: operands of 8-bit integers.
// SPDX-License-Identifier: Apache-2.0
#define PRODUCT_OF_S8
#include "kernels/step/product_impl.h"

void step_product_s8_cube(const step_product_s8_args_t *args) { multiply_groups(args); }
