// C view of a Verilated bf16_dot. There is one library for each D, all with this interface.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_FP_BF16_DOT_SHIM_H
#define AMALGAM_TB_FP_BF16_DOT_SHIM_H

#include <stdbool.h>

#include "num/num_format.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf16_dot_dut bf16_dot_dut_t;

// Registers start with random values. The caller owns the result and gives it to bf16_dot_delete().
bf16_dot_dut_t *bf16_dot_new(int seed);
void bf16_dot_delete(bf16_dot_dut_t *dut);

// One clock cycle with these inputs, BF16_DOT_D elements each. Returns y_o after the edge.
num_bf16_t bf16_dot_clock(bf16_dot_dut_t *dut, bool enable, const num_bf16_t *a, const num_bf16_t *b);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_TB_FP_BF16_DOT_SHIM_H
