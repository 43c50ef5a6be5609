// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/soc_module.h"

namespace soc {
namespace {

sc_core::sc_time cycles(uint64_t n) { return sc_core::sc_time(static_cast<double>(n), sc_core::SC_NS); }

uint64_t now() {
  static const uint64_t tick = cycles(1).value();
  return sc_core::sc_time_stamp().value() / tick;
}

}  // namespace

soc_module::soc_module(sc_core::sc_module_name name) : sc_module(name) {
  SC_HAS_PROCESS(soc_module);
  SC_METHOD(step);
  dont_initialize();
  sensitive << begun_;
}

soc_module &soc_module::of_process() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  static auto *const module = new soc_module("soc");
  return *module;
}

void soc_module::run(scheduler &machine) {
  machine_ = &machine;
  begin_ = now() - machine.now();
  begun_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
}

void soc_module::step() {
  const uint64_t next = machine_->step(now() - begin_);
  if (next != scheduler::kNever) {
    next_trigger(cycles(next + begin_ - now()));
  }
}

}  // namespace soc

// SystemC's library asks for it; the model is started by soc_launch instead.
int sc_main(int, char *[]) { return 0; }
