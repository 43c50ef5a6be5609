// One Verilated engine as a shared library; its parameters: engine_ports.h. ENGINE_TRACE: it writes waveforms.
// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_unit.h"

#include <cstring>
#include <memory>

#include "Vunit.h"
#include "engine/engine_ports.h"
#include "verilated.h"
#include "waves/verilated_end.h"

namespace {

constexpr size_t LIMIT_BITS = bits_for(N + 1);

}  // namespace

struct engine_unit {
  VerilatedContext context;
  std::unique_ptr<Vunit> rtl;
  engine_pins_t pins{};
#ifdef ENGINE_TRACE
  VerilatedFstC waves;   // model/waves/verilated_waves.h
#endif
};

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

engine_unit *create(const char *name, int seed) {
  auto unit = std::make_unique<engine_unit>();
  unit->context.randReset(seed == 0 ? 0 : 2);
  unit->context.randSeed(seed);
#ifdef ENGINE_TRACE
  unit->context.traceEverOn(true);
#endif
  unit->rtl = std::make_unique<Vunit>(&unit->context, name != nullptr ? name : TOP_NAME);
  reset(unit.get());
  return unit.release();
}

void destroy(engine_unit *unit) {
  verilated_end(*unit->rtl);
  delete unit;
}

engine_pins_t *pins(engine_unit *unit) { return &unit->pins; }

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

#ifdef ENGINE_TRACE
void trace(engine_unit *unit, const waves_port_t *port, unsigned most_bits) {
  unit->rtl->trace(&unit->waves, 99);
  unit->waves.connect(*port, most_bits);
}

void record(engine_unit *unit, bool all, bool clocked) { unit->waves.record(all, clocked); }
#else
void trace(engine_unit *, const waves_port_t *, unsigned) {}
void record(engine_unit *, bool, bool) {}
#endif

}  // namespace

extern "C" const engine_unit_api_t ENGINE_UNIT_SYMBOL;
extern "C" const engine_unit_api_t ENGINE_UNIT_SYMBOL = {
    create, destroy, reset, pins, set_row, set_group, set_mask, get_result, settle, clock, trace, record};

// Time comes from each unit's own context.
double sc_time_stamp() { return 0.0; }
