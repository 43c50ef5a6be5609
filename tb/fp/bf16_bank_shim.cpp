// SPDX-License-Identifier: Apache-2.0
#include "bf16_bank_shim.h"

#include BF16_BANK_HEADER
#include "waves/verilated_end.h"

// BF16_BANK_HEADER, BF16_BANK_CLASS and BF16_BANK_CLOCKED come from bf16.cmake, one set for each
// unit.
struct bf16_bank {
  VerilatedContext context;
  BF16_BANK_CLASS *rtl;
};

extern "C" bf16_bank_t *bf16_bank_new(int seed) {
  bf16_bank_t *bank = new bf16_bank;
  bank->context.randReset(2);
  bank->context.randSeed(seed);
  bank->rtl = new BF16_BANK_CLASS(&bank->context);
  bank->rtl->clk_i = 0;
  bank->rtl->eval();
  return bank;
}

extern "C" void bf16_bank_delete(bf16_bank_t *bank) {
  verilated_end(*bank->rtl);
  delete bank->rtl;
  delete bank;
}

extern "C" void bf16_bank_run(bf16_bank_t *bank, bool enable, num_bf16_t a, num_bf16_t first,
                              num_bf16_t y[BF16_BANK_LANES]) {
  BF16_BANK_CLASS *rtl = bank->rtl;
  rtl->en_i = enable;
  rtl->a_i = a;
  rtl->block_i = static_cast<SData>(first / BF16_BANK_LANES);
  rtl->eval();
#if BF16_BANK_CLOCKED
  rtl->clk_i = 1;
  rtl->eval();
  rtl->clk_i = 0;
#endif
  for (int i = 0; i < BF16_BANK_LANES; i += 2) {
    const uint32_t pair = rtl->y_o[i / 2];
    y[i] = static_cast<num_bf16_t>(pair);
    y[i + 1] = static_cast<num_bf16_t>(pair >> 16);
  }
}
