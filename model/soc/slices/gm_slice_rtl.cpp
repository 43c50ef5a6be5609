// The Verilated gm_atomic as a gm_unit.  It is Verilated three times, so that no run pays for what it does not need:
// here with and without operations of all types, and with them and waveforms in gm_traced_unit.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include "Vgm_atomic_slice.h"
#include "Vgm_atomic_types.h"
#include "engine/engine_library.h"
#include "soc/cores/scheduler.h"
#include "soc/slices/gm_pins.h"
#include "soc/slices/gm_slice.h"

namespace soc {
namespace {

template <typename verilated>
class unit_untraced : public gm_pins<gm_unit, verilated> {
 public:
  unit_untraced(const std::string &name, uint8_t *memory) : gm_pins<gm_unit, verilated>(name, memory) { this->reset(); }

  bool tick(const gm_request_t *request, bool &answered) override {
    this->settle_pins(request);
    return this->edge_pins(request, answered);
  }
};

// The library's unit, told when to write.
class unit_traced : public gm_unit {
 public:
  unit_traced(std::unique_ptr<gm_traced_unit> unit, waves &trace, const scheduler &clock)
      : unit_(std::move(unit)), waves_(trace), clock_(clock) {
    waves_.add_unit([this] { unit_->write(true, false); });
  }

  bool tick(const gm_request_t *request, bool &answered) override {
    unit_->settle(request);
    if (waves_.unit_at(clock_.now())) {
      unit_->write(false, true);
    }
    return unit_->edge(request, answered);
  }
  gm_status status() const override { return unit_->status(); }

 private:
  std::unique_ptr<gm_traced_unit> unit_;
  waves &waves_;
  const scheduler &clock_;
};

// The library stays open, for the machines to come.
make_gm_traced_unit_t *open_library(const engine_progress_t &building) {
  base_error_t reason;
  void *make = nullptr;
  if (unit_library_open("gm_atomic", "building the slices' RTL with waveforms", building, "make_gm_traced_unit", &make,
                        &reason) == nullptr) {
    throw std::runtime_error(reason.text);
  }
  return reinterpret_cast<make_gm_traced_unit_t *>(make);
}

}  // namespace

std::unique_ptr<gm_unit> make_gm_unit_rtl(const std::string &name, uint8_t *memory, bool types, const scheduler &clock,
                                          waves *trace, const engine_progress_t &building) {
  if (trace == nullptr && types) {
    return std::make_unique<unit_untraced<Vgm_atomic_types>>(name, memory);
  }
  if (trace == nullptr) {
    return std::make_unique<unit_untraced<Vgm_atomic_slice>>(name, memory);
  }
  static make_gm_traced_unit_t *const make = open_library(building);
  return std::make_unique<unit_traced>(std::unique_ptr<gm_traced_unit>(make(name.c_str(), memory, &trace->port())),
                                       *trace, clock);
}

}  // namespace soc
