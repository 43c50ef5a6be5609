// C view of the Verilated hfa_units_bank, one model for each unit.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_HFA_HFA_UNITS_SHIM_H
#define AMALGAM_TB_HFA_HFA_UNITS_SHIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HFA_BANK_LANES = 64 };  // the default of the Verilog parameter

// The Verilog parameter UNIT; what a and b are is said there.
typedef enum hfa_unit {
  HFA_UNIT_QUANT,
  HFA_UNIT_DIFF_QUANT,
  HFA_UNIT_LOG2,
  HFA_UNIT_SCALE,
  HFA_UNIT_POW2,
  HFA_UNIT_CORRECT,
  HFA_UNIT_ADD_MITCHELL,
  HFA_UNIT_ADD_ZERO_EXACT,
  HFA_UNIT_ADD_CORRECTED,
  HFA_UNIT_LOGDIV,
  HFA_UNITS
} hfa_unit_t;

typedef struct hfa_bank hfa_bank_t;

// The caller owns the result and gives it to hfa_bank_delete(). Banks are independent of each
// other: each may live in a thread of its own.
hfa_bank_t *hfa_bank_new(hfa_unit_t unit);
void hfa_bank_delete(hfa_bank_t *bank);

// y[i] = unit(a[i], b[i]), for all lanes.
void hfa_bank_eval(hfa_bank_t *bank, const uint32_t a[HFA_BANK_LANES], const uint32_t b[HFA_BANK_LANES],
                   uint32_t y[HFA_BANK_LANES]);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_TB_HFA_HFA_UNITS_SHIM_H
