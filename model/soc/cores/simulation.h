// What every part of the SoC shares: the cycle count, the way to stop a run, the books, and those who look on.
//
// SystemC's nanosecond stands for one cycle of the cores' clock, so that all times are integers.
// now() is the machine's clock; pipes and scalar cores run ahead of it (scheduler.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_SIMULATION_H
#define AMALGAM_SOC_CORES_SIMULATION_H

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "config/config.h"
#include "hal/command.h"
#include "soc/cores/arithmetic.h"
#include "soc/cores/questions.h"
#include "soc/cores/scheduler.h"
#include "soc/scalar/source_line.h"
#include "soc/scalar/workers.h"
#include "soc/soc.h"
#include "soc/watch/watcher.h"
#include "soc/watch/waves.h"

namespace soc {

inline sc_core::sc_time cycles(uint64_t n) { return sc_core::sc_time(static_cast<double>(n), sc_core::SC_NS); }
inline uint64_t now() {
  static const uint64_t tick = cycles(1).value();
  return sc_core::sc_time_stamp().value() / tick;
}

// Adds the wall time of its life to a sum.
class stopwatch {
 public:
  explicit stopwatch(double &sum) : sum_(sum), start_(clock::now()) {}
  ~stopwatch() { sum_ += std::chrono::duration<double>(clock::now() - start_).count(); }
  stopwatch(const stopwatch &) = delete;
  stopwatch &operator=(const stopwatch &) = delete;

 private:
  using clock = std::chrono::steady_clock;
  double &sum_;
  clock::time_point start_;
};

// The end of what a run is stopped with that takes too long.
constexpr char kTooLong[] = "longer than soc.max_cycles allows (--max-cycles)";

class shared_firmware;

struct simulation {
  simulation(const soc_options_t &run_options, soc_result_t &run_result)
      : options(run_options),
        config(run_options.config),
        result(run_result),
        trace(run_options.trace != nullptr ? std::make_unique<waves>(run_options) : nullptr),
        programs(run_options.firmware == SOC_FIRMWARE_RISCV) {}

  // Ends the run; the first message stays.  The calling process returns and must not go on.
  void stop(soc_status_t status, const std::string &message);
  bool stopped() const { return result.status != SOC_DONE; }
  bool watched() const { return !watchers.empty(); }

  // "cube0 MTE2 LOAD_NZ gm=... (amla.c:12)": a command as messages name it.
  std::string describe(const std::string &core, const command_t &command) {
    return describe(core, command, lines.current());
  }
  std::string describe(const std::string &core, const command_t &command, unsigned firmware);

  // RV64 firmware, loaded once for all cores.  Throws as load_elf does.
  shared_firmware &firmware(const std::string &file);

  const soc_options_t &options;
  const config_t &config;
  soc_result_t &result;
  std::vector<watcher *> watchers;  // nobody, as a rule
  std::unique_ptr<waves> trace;     // for Verilated units' signals; null: no waveforms
  source_lines lines;
  std::unique_ptr<scheduler> events;
  std::unique_ptr<arithmetic> work;
  uint64_t deadline = UINT64_MAX;     // of the kernel that runs: the cycle by which it has to be over
  uint64_t stop_at = UINT64_MAX;      // ... and the last one that is wanted of it
  uint64_t known_until = UINT64_MAX;  // of a run that was stopped: effects beyond this cycle are not looked at
  questions asked;
  workers programs;                // that run scalar cores
  unsigned cores = 0, tracks = 0;  // so far: numbers of the next core, and of its next pipe

 private:
  std::map<std::string, std::shared_ptr<shared_firmware>> firmwares_;  // by file
};

}  // namespace soc

#endif
