// The Verilated model behind an engine_unit, with its pins and its waveforms: what engine_unit.cpp and
// engine_axi_unit.cpp share, whatever the ports. ENGINE_TRACE: it writes waveforms.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_VERILATED_ENGINE_H
#define AMALGAM_ENGINE_VERILATED_ENGINE_H

#include <memory>

#include "Vunit.h"
#include "engine/engine_ports.h"
#include "engine/engine_unit.h"
#include "verilated.h"
#include "waves/verilated_end.h"

// An engine_unit begins with this.
struct verilated_engine {
  VerilatedContext context;
  std::unique_ptr<Vunit> rtl;
  engine_pins_t pins{};
#ifdef ENGINE_TRACE
  VerilatedFstC waves;  // model/waves/verilated_waves.h
#endif
};

// The functions of engine_unit_api_t that do not know the ports. unit: engine_unit, once it is complete.
namespace {

template <typename unit, void (*reset)(unit *)>
unit *create(const char *name, int seed) {
  auto engine = std::make_unique<unit>();
  engine->context.randReset(seed == 0 ? 0 : 2);
  engine->context.randSeed(seed);
#ifdef ENGINE_TRACE
  engine->context.traceEverOn(true);
#endif
  engine->rtl = std::make_unique<Vunit>(&engine->context, name != nullptr ? name : TOP_NAME);
  reset(engine.get());
  return engine.release();
}

template <typename unit>
void destroy(unit *engine) {
  verilated_end(*engine->rtl);
  delete engine;
}

template <typename unit>
engine_pins_t *pins(unit *engine) {
  return &engine->pins;
}

#ifdef ENGINE_TRACE
template <typename unit>
void trace(unit *engine, const waves_port_t *port, unsigned most_bits) {
  engine->rtl->trace(&engine->waves, 99);
  engine->waves.connect(*port, most_bits);
}

template <typename unit>
void record(unit *engine, bool all, bool clocked) {
  engine->waves.record(all, clocked);
}
#else
template <typename unit>
void trace(unit *, const waves_port_t *, unsigned) {}
template <typename unit>
void record(unit *, bool, bool) {}
#endif

}  // namespace

#endif  // AMALGAM_ENGINE_VERILATED_ENGINE_H
