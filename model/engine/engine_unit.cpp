// One Verilated engine as a shared library; its parameters: engine_ports.h.
// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_unit.h"

#include <cstring>

#include "engine/verilated_engine.h"

namespace {

constexpr size_t LIMIT_BITS = bits_for(N + 1);

}  // namespace

struct engine_unit : verilated_engine {};

namespace {

void settle(engine_unit *unit) {
  Vunit &rtl = *unit->rtl;
  engine_pins_t &pins = unit->pins;
  rtl.kv_valid_i = pins.kv_valid;
  rtl.q_valid_i = pins.q_valid;
  rtl.mask_valid_i = pins.mask_valid;
  rtl.out_ready_i = pins.out_ready;
  rtl.clk_i = 0;
  unit->rtl->eval();
  pins.q_ready = rtl.q_ready_o;
  pins.mask_ready = rtl.mask_ready_o;
  pins.out_valid = rtl.out_valid_o;
  pins.out_final = rtl.out_final_o;
}

void clock(engine_unit *unit) {
  unit->rtl->clk_i = 1;
  unit->rtl->eval();
}

void reset(engine_unit *unit) {
  unit->pins = engine_pins_t{};
  unit->rtl->rst_ni = 1;
  settle(unit);
  unit->rtl->rst_ni = 0;  // without a clock edge: the reset is asynchronous
  settle(unit);
  unit->rtl->rst_ni = 1;
  settle(unit);
}

void set_row(engine_unit *unit, const engine_row_t *row) {
  Vunit &rtl = *unit->rtl;
  assign(rtl.kv_block_i, row->block);
  assign(rtl.kv_row_i, row->row);
  std::memcpy(bytes(rtl.kv_k_i), row->k, D * sizeof *row->k);
  std::memcpy(bytes(rtl.kv_v_i), row->v, D * sizeof *row->v);
}

void set_group(engine_unit *unit, const engine_group_t *group) {
  Vunit &rtl = *unit->rtl;
  std::memcpy(bytes(rtl.q_i), group->q, NQ * D * sizeof *group->q);
  assign(rtl.q_base_i, group->base);
  assign(rtl.q_rows_i, group->rows);
  assign(rtl.q_stride_i, group->stride);
  rtl.q_use_mask_i = group->use_mask;
  rtl.q_final_i = group->final;
  rtl.q_carry_i = group->carry != nullptr;
  for (size_t n = 0; n < NQ; ++n) {
    put(rtl.q_limit_i, LIMIT_BITS * n, LIMIT_BITS, group->limit[n]);
    if (group->carry != nullptr) {
      put(rtl.carry_m_i, 16 * n, 16, group->carry[n].m);
      put(rtl.carry_poison_i, n, 1, group->carry[n].poison);
      for (size_t e = 0; e <= D; ++e) {
        put(rtl.carry_o_i, ELEMENT_BITS * ((D + 1) * n + e), ELEMENT_BITS, group->carry[n].o[e]);
      }
    }
  }
}

void set_mask(engine_unit *unit, const uint8_t *mask) {
  for (size_t i = 0; i < NQ * P; ++i) {
    put(unit->rtl->mask_i, i, 1, mask[i]);
  }
}

void get_result(engine_unit *unit, num_triplet_t *triplets) {
  Vunit &rtl = *unit->rtl;
  for (size_t n = 0; n < NQ; ++n) {
    triplets[n].m = static_cast<num_bf16_t>(get(rtl.out_m_o, 16 * n, 16));
    triplets[n].poison = get(rtl.out_poison_o, n, 1) != 0;
    for (size_t e = 0; e <= D; ++e) {
      triplets[n].o[e] = get(rtl.out_o_o, ELEMENT_BITS * ((D + 1) * n + e), ELEMENT_BITS);
    }
  }
}

}  // namespace

extern "C" const engine_unit_api_t ENGINE_UNIT_SYMBOL;
extern "C" const engine_unit_api_t ENGINE_UNIT_SYMBOL = {create<engine_unit, reset>,
                                                         destroy,
                                                         reset,
                                                         pins,
                                                         set_row,
                                                         set_group,
                                                         set_mask,
                                                         get_result,
                                                         settle,
                                                         clock,
                                                         trace,
                                                         record};

// Time comes from each unit's own context.
double sc_time_stamp() { return 0.0; }
