// Verilated synth/gm/fp32_mul.v, one product at a time, for C.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_FP_FP32_MUL_SHIM_H
#define AMALGAM_TB_FP_FP32_MUL_SHIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp32_mul fp32_mul_t;

fp32_mul_t *fp32_mul_new(void);
void fp32_mul_delete(fp32_mul_t *mul);

// The product with SUBNORMAL = 1, and that with 0.
void fp32_mul_eval(fp32_mul_t *mul, uint32_t a, uint32_t b, uint32_t *exact, uint32_t *flushed);

#ifdef __cplusplus
}
#endif

#endif
