// SPDX-License-Identifier: Apache-2.0
#include "fp32_add_shim.h"

#include "Vfp32_add_bank.h"
#include "waves/verilated_end.h"

struct fp32_bank {
  Vfp32_add_bank rtl;
};

extern "C" fp32_bank_t *fp32_bank_new(void) { return new fp32_bank; }

extern "C" void fp32_bank_delete(fp32_bank_t *bank) {
  verilated_end(bank->rtl);
  delete bank;
}

extern "C" void fp32_bank_add(fp32_bank_t *bank, const uint32_t a[FP32_BANK_LANES], const uint32_t b[FP32_BANK_LANES],
                              uint32_t sum[FP32_BANK_LANES]) {
  for (int i = 0; i < FP32_BANK_LANES; ++i) {
    bank->rtl.a_i[i] = a[i];
    bank->rtl.b_i[i] = b[i];
  }
  bank->rtl.eval();
  for (int i = 0; i < FP32_BANK_LANES; ++i) {
    sum[i] = bank->rtl.sum_o[i];
  }
}
