// C view of the Verilated fp32_add_bank.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_FP_FP32_ADD_SHIM_H
#define AMALGAM_TB_FP_FP32_ADD_SHIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FP32_BANK_LANES = 64 };  // the default of the Verilog parameter

typedef struct fp32_bank fp32_bank_t;

// The caller owns the result and gives it to fp32_bank_delete().
fp32_bank_t *fp32_bank_new(void);
void fp32_bank_delete(fp32_bank_t *bank);

// sum[i] = a[i] + b[i], for all lanes.
void fp32_bank_add(fp32_bank_t *bank, const uint32_t a[FP32_BANK_LANES], const uint32_t b[FP32_BANK_LANES],
                   uint32_t sum[FP32_BANK_LANES]);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_TB_FP_FP32_ADD_SHIM_H
