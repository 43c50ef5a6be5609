// PRODUCT: operands in FP16 or BF16.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/product_impl.h"

void step_product_cube(const step_product_args_t *args) { multiply_groups(args); }
