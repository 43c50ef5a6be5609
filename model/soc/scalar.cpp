// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar.h"

#include <cstdio>

#include "soc/core_unit.h"

namespace soc {

scalar::scalar(sc_core::sc_module_name name, core_unit &core)
    : sc_module(name),
      core_(core),
      sim_(core.sim()),
      time_(config_cycles(&sim_.config, sim_.config.soc.launch_us +
                                            core.index() * sim_.config.soc.skew_us)) {
  SC_HAS_PROCESS(scalar);
  SC_THREAD(main);
  set_stack_size(1 << 20);   // an instruction set simulator lives on it
}

void scalar::main() {
  running_since_ = std::chrono::steady_clock::now();
  run();
  halted_ = true;
  count_host_time();
}

void scalar::count_host_time() {
  const std::chrono::duration<double> ran = std::chrono::steady_clock::now() - running_since_;
  sim_.result.scalar_seconds += ran.count();
}

void scalar::suspend(sc_core::sc_event &until) {
  count_host_time();
  wait(until);
  running_since_ = std::chrono::steady_clock::now();
}

void scalar::sleep_forever() {
  for (;;) {
    wait(never_);
  }
}

void scalar::spend(uint64_t instructions) {
  sim_.result.scalar_instructions += instructions;
  const double spent = static_cast<double>(instructions) * sim_.config.scalar.cpi;
  time_ += static_cast<uint64_t>(spent) + sim_.config.scalar.push_cycles;
}

uint64_t scalar::read_register(uint64_t offset) {
  switch (offset) {
    case REG_CORE_KIND:
      return core_.kind();
    case REG_CORE_INDEX:
      return core_.index();
    case REG_CORE_COUNT:
      return sim_.config.soc.ai_cores;
    case REG_SUB_INDEX:
      return core_.sub();
    case REG_SUB_COUNT:
      return sim_.config.soc.vector_cores;
    case REG_ARGS:
      return GM_BASE;
    default:
      sim_.stop(SOC_STOPPED, core_.name() + " firmware reads register offset " +
                                 std::to_string(offset) + ", which cannot be read" + where());
      return 0;
  }
}

void scalar::write_register(uint64_t offset, uint64_t value) {
  switch (offset) {
    case REG_PUSH:
      return core_.push(pushed(value), time_);
    case REG_HALT:
      if (value != 0) {
        sim_.stop(SOC_STOPPED,
                  core_.name() + " firmware panic, code " + std::to_string(value) + where());
      }
      halted_ = true;
      return;
    case REG_PUTC:
      log_ += static_cast<char>(value);
      if (log_.back() == '\n') {
        std::fprintf(stderr, "%s: %s", core_.name().c_str(), log_.c_str());
        log_.clear();
      }
      return;
    default:
      sim_.stop(SOC_STOPPED, core_.name() + " firmware writes register offset " +
                                 std::to_string(offset) + ", which cannot be written" + where());
  }
}

std::unique_ptr<scalar> make_scalar(const std::string &name, core_unit &core) {
  return core.sim().options.firmware == SOC_FIRMWARE_RISCV ? make_scalar_riscv(name, core)
                                                           : make_scalar_native(name, core);
}

}  // namespace soc
