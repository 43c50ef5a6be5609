// One Verilated engine behind AXI (rtl/axi/attention_axi.v) as a shared library, with the same interface as
// engine_unit.cpp: a group offered on the pins is written to the registers, one access of AXI4-Lite after the other,
// and then sent, its carry first. q_ready is that of its queries. Its parameters: engine_ports.h.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "engine/verilated_engine.h"

namespace {

constexpr size_t ROWS = N / P;
constexpr size_t ROW_BITS = ROWS > 1 ? bits_for(ROWS) : 1;
constexpr size_t BLOCK_BITS = P > 1 ? bits_for(P) : 1;
constexpr size_t ELEMENTS = ELEMENT_BITS * (D + 1);  // bits of a triplet's
constexpr size_t M_AT = ELEMENTS * NQ;               // in a beat
constexpr size_t POISON_AT = M_AT + 16 * NQ;

enum : uint32_t {
#define ATTENTION_REG(name, offset, access, bits, text) REG_##name = (offset),
#include "hal/attention_registers.def"
#undef ATTENTION_REG
};

enum { GROUP_MASKED = 1, GROUP_FINAL = 2, GROUP_CARRY = 4 };

// A register that software writes for each group, if its value is not there already.
struct setting {
  uint32_t offset, wanted, written;
};

enum class stage { registers, carry, queries };

}  // namespace

// cppcheck-suppress ctuOneDefinitionRuleViolation ; a library has one of the two
struct engine_unit : verilated_engine {
  std::array<setting, NQ + 3> settings{};
  uint32_t flags = 0;  // of the group on offer
  stage at = stage::registers;
  bool address = false, data = false;  // of a write, still to be taken
  bool answer = false;                 // still to come
  setting *writing = nullptr;          // NULL: GROUP
};

namespace {

// Sets the registers to their values after reset.
void forget(engine_unit *unit) {
  unit->settings[0] = {REG_BASE, 0, 0};
  unit->settings[1] = {REG_ROWS, ROWS, ROWS};
  unit->settings[2] = {REG_STRIDE, ROWS, ROWS};
  for (size_t n = 0; n < NQ; ++n) {
    unit->settings[3 + n] = {REG_LIMIT + 4 * static_cast<uint32_t>(n), N, N};
  }
  unit->at = stage::registers;
  unit->address = unit->data = unit->answer = false;
}

void begin_write(engine_unit *unit) {
  Vunit &rtl = *unit->rtl;
  unit->writing = nullptr;
  for (setting &one : unit->settings) {
    if (one.wanted != one.written) {
      unit->writing = &one;
      break;
    }
  }
  assign(rtl.s_axil_awaddr, unit->writing == nullptr ? uint32_t{REG_GROUP} : unit->writing->offset);
  rtl.s_axil_wdata = unit->writing == nullptr ? unit->flags : unit->writing->wanted;
  rtl.s_axil_wstrb = 0xf;
  unit->address = unit->data = unit->answer = true;
}

void settle(engine_unit *unit) {
  Vunit &rtl = *unit->rtl;
  engine_pins_t &pins = unit->pins;
  if (pins.q_valid && unit->at == stage::registers && !unit->answer) {
    begin_write(unit);
  }
  rtl.s_axil_awvalid = unit->address;
  rtl.s_axil_wvalid = unit->data;
  rtl.s_axil_bready = 1;
  rtl.s_axil_arvalid = 0;
  rtl.s_axil_rready = 1;
  rtl.s_axis_kv_tvalid = pins.kv_valid;
  rtl.s_axis_carry_tvalid = unit->at == stage::carry;
  rtl.s_axis_q_tvalid = unit->at == stage::queries;
  rtl.s_axis_mask_tvalid = pins.mask_valid;
  rtl.m_axis_out_tready = pins.out_ready;
  rtl.aclk = 0;
  rtl.eval();
  pins.q_ready = unit->at == stage::queries && rtl.s_axis_q_tready;
  pins.mask_ready = rtl.s_axis_mask_tready;
  pins.out_valid = rtl.m_axis_out_tvalid;
  pins.out_final = rtl.m_axis_out_tuser;
}

// A write has been answered. A group that finds no room is written again.
void written(engine_unit *unit) {
  unit->answer = false;
  if (unit->writing != nullptr) {
    unit->writing->written = unit->writing->wanted;
  } else if (unit->rtl->s_axil_bresp == 0) {
    unit->at = (unit->flags & GROUP_CARRY) != 0 ? stage::carry : stage::queries;
  }
}

void clock(engine_unit *unit) {
  Vunit &rtl = *unit->rtl;
  unit->address = unit->address && !rtl.s_axil_awready;
  unit->data = unit->data && !rtl.s_axil_wready;
  if (unit->answer && rtl.s_axil_bvalid) {
    written(unit);
  } else if (unit->at == stage::carry && rtl.s_axis_carry_tready) {
    unit->at = stage::queries;
  } else if (unit->at == stage::queries && rtl.s_axis_q_tready) {
    unit->at = stage::registers;
  }
  rtl.aclk = 1;
  rtl.eval();
}

void reset(engine_unit *unit) {
  unit->pins = engine_pins_t{};
  forget(unit);
  unit->rtl->aresetn = 1;
  settle(unit);
  unit->rtl->aresetn = 0;  // without a clock edge: the reset is asynchronous
  settle(unit);
  unit->rtl->aresetn = 1;
  settle(unit);
}

void set_row(engine_unit *unit, const engine_row_t *row) {
  Vunit &rtl = *unit->rtl;
  put(rtl.s_axis_kv_tuser, 0, ROW_BITS, row->row);
  put(rtl.s_axis_kv_tuser, ROW_BITS, BLOCK_BITS, row->block);
  std::memcpy(bytes(rtl.s_axis_kv_tdata), row->k, D * sizeof *row->k);
  std::memcpy(bytes(rtl.s_axis_kv_tdata) + 2 * D, row->v, D * sizeof *row->v);
}

void set_carry(engine_unit *unit, const num_triplet_t *carry) {
  Vunit &rtl = *unit->rtl;
  for (size_t n = 0; n < NQ; ++n) {
    put(rtl.s_axis_carry_tdata, M_AT + 16 * n, 16, carry[n].m);
    put(rtl.s_axis_carry_tdata, POISON_AT + n, 1, carry[n].poison);
    for (size_t e = 0; e <= D; ++e) {
      put(rtl.s_axis_carry_tdata, ELEMENTS * n + ELEMENT_BITS * e, ELEMENT_BITS, carry[n].o[e]);
    }
  }
}

void set_group(engine_unit *unit, const engine_group_t *group) {
  unit->settings[0].wanted = group->base;
  unit->settings[1].wanted = group->rows;
  unit->settings[2].wanted = group->stride;
  for (size_t n = 0; n < NQ; ++n) {
    unit->settings[3 + n].wanted = group->limit[n];
  }
  unit->flags = (group->use_mask ? GROUP_MASKED : 0u) | (group->final ? GROUP_FINAL : 0u) |
                (group->carry != nullptr ? GROUP_CARRY : 0u);
  std::memcpy(bytes(unit->rtl->s_axis_q_tdata), group->q, NQ * D * sizeof *group->q);
  if (group->carry != nullptr) {
    set_carry(unit, group->carry);
  }
}

void set_mask(engine_unit *unit, const uint8_t *mask) {
  for (size_t i = 0; i < NQ * P; ++i) {
    put(unit->rtl->s_axis_mask_tdata, i, 1, mask[i]);
  }
}

void get_result(engine_unit *unit, num_triplet_t *triplets) {
  Vunit &rtl = *unit->rtl;
  const bool divided = rtl.m_axis_out_tuser;
  for (size_t n = 0; n < NQ; ++n) {
    triplets[n].m = static_cast<num_bf16_t>(get(rtl.m_axis_out_tdata, M_AT + 16 * n, 16));
    triplets[n].poison = get(rtl.m_axis_out_tdata, POISON_AT + n, 1) != 0;
    triplets[n].o[0] = divided ? 0 : get(rtl.m_axis_out_tdata, ELEMENTS * n, ELEMENT_BITS);
    for (size_t c = 0; c < D; ++c) {
      triplets[n].o[c + 1] = divided ? get(rtl.m_axis_out_tdata, 16 * (D * n + c), 16)
                                     : get(rtl.m_axis_out_tdata, ELEMENTS * n + ELEMENT_BITS * (c + 1), ELEMENT_BITS);
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
