// Internal to model/num: the SIMD kernels behind num_matmul_select. To be called only on a host
// that has the instructions (num_isa.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_PRODUCT_NUM_MATMUL_ISA_H
#define AMALGAM_NUM_PRODUCT_NUM_MATMUL_ISA_H

#include "num/product/num_matmul.h"

num_matmul_fn num_matmul_avx2;
num_matmul_fn num_matmul_avx512;

#endif  // AMALGAM_NUM_PRODUCT_NUM_MATMUL_ISA_H
