// SPDX-License-Identifier: Apache-2.0
#include "bf16_dot_shim.h"

#include BF16_DOT_HEADER
#include "waves/verilated_end.h"

// BF16_DOT_HEADER, BF16_DOT_CLASS and BF16_DOT_D come from bf16.cmake, one set for each D.
struct bf16_dot_dut {
  BF16_DOT_CLASS rtl;
};

extern "C" bf16_dot_dut_t *bf16_dot_new(int seed) {
  Verilated::randReset(2);
  Verilated::randSeed(seed);
  bf16_dot_dut_t *dut = new bf16_dot_dut;
  dut->rtl.clk_i = 0;
  dut->rtl.eval();
  return dut;
}

extern "C" void bf16_dot_delete(bf16_dot_dut_t *dut) {
  verilated_end(dut->rtl);
  delete dut;
}

// A port is an array of words, or one word if it has no more than 64 bits.
template <typename Port>
static void load(Port *port, const num_bf16_t *x) {
  *port = 0;
  for (int i = 0; i < BF16_DOT_D; ++i) {
    *port |= static_cast<Port>(x[i]) << (16 * i);
  }
}

template <std::size_t Words>
static void load(VlWide<Words> *port, const num_bf16_t *x) {
  for (int i = 0; i < BF16_DOT_D; i += 2) {
    const EData high = i + 1 < BF16_DOT_D ? x[i + 1] : 0;
    port->at(static_cast<std::size_t>(i / 2)) = high << 16 | x[i];
  }
}

extern "C" num_bf16_t bf16_dot_clock(bf16_dot_dut_t *dut, bool enable, const num_bf16_t *a, const num_bf16_t *b) {
  dut->rtl.en_i = enable;
  load(&dut->rtl.a_i, a);
  load(&dut->rtl.b_i, b);
  dut->rtl.eval();
  dut->rtl.clk_i = 1;
  dut->rtl.eval();
  dut->rtl.clk_i = 0;
  return dut->rtl.y_o;
}
