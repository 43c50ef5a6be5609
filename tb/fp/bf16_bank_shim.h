// C view of a Verilated bf16_bank. There is one library for each unit, all with this interface.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_FP_BF16_BANK_SHIM_H
#define AMALGAM_TB_FP_BF16_BANK_SHIM_H

#include <stdbool.h>

#include "num/num_format.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BF16_BANK_LANES = 64 };  // the default of the Verilog parameter

typedef struct bf16_bank bf16_bank_t;

// Registers start with random values. The caller owns the result and gives it to
// bf16_bank_delete(). Banks may be used from different threads, each from one at a time.
bf16_bank_t *bf16_bank_new(int seed);
void bf16_bank_delete(bf16_bank_t *bank);

// y[i] = unit(a, first + i) for all lanes; first is a multiple of BF16_BANK_LANES. With a register
// in the unit this is one clock cycle, and without enable y is what the register holds.
void bf16_bank_run(bf16_bank_t *bank, bool enable, num_bf16_t a, num_bf16_t first, num_bf16_t y[BF16_BANK_LANES]);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_TB_FP_BF16_BANK_SHIM_H
