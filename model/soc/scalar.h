// The scalar core of a cube or vector core: runs firmware that reads registers and pushes
// commands.  Two kinds with the same commands in the same order: an RV64 instruction set
// simulator (Unicorn), and the same sources built for the host.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_SCALAR_H
#define SOC_SCALAR_H

#include <memory>
#include <string>
#include <systemc>

#include "hal/command.h"
#include "hal/registers.h"
#include "soc/simulation.h"

namespace soc {

class core_unit;

class scalar : public sc_core::sc_module {
 public:
  scalar(sc_core::sc_module_name name, core_unit &core);
  bool halted() const { return halted_; }
  // Waits, in this core's own thread.
  void suspend(sc_core::sc_event &until);

 protected:
  // Runs the firmware to its end; called in this core's own thread.
  virtual void run() = 0;
  // The command that a write of this value to PUSH means.
  virtual command_t pushed(uint64_t value) = 0;

  // Source line that runs, with " at " before it, as far as it is known.
  virtual std::string where() { return ""; }

  uint64_t read_register(uint64_t offset);
  void write_register(uint64_t offset, uint64_t value);
  // This core's clock goes on: instructions since the last access, and the access itself.
  void spend(uint64_t instructions);
  // The run is over; this thread sleeps for good.
  [[noreturn]] void sleep_forever();

  core_unit &core_;
  simulation &sim_;
  bool halted_ = false;
  uint64_t time_;            // this core's clock, runs ahead of the machine's (scheduler.h)

 private:
  void main();               // SC_THREAD
  void count_host_time();

  sc_core::sc_event never_;
  std::chrono::steady_clock::time_point running_since_;
  std::string log_;          // characters of an unfinished debug line
};

std::unique_ptr<scalar> make_scalar(const std::string &name, core_unit &core);
std::unique_ptr<scalar> make_scalar_riscv(const std::string &name, core_unit &core);
std::unique_ptr<scalar> make_scalar_native(const std::string &name, core_unit &core);

}  // namespace soc

#endif
