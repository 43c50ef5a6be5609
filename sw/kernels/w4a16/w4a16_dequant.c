// Kernel w4a16's dequantisation: of one product.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/w4a16/w4a16_dequant_impl.h"

void w4a16_dequantise(const w4a16_t *problem) { dequantise(problem); }
