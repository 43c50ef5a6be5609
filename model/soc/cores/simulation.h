// Shared by every part of the SoC: the clock, the way to stop a run, the books, and the watchers.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_SIMULATION_H
#define AMALGAM_SOC_CORES_SIMULATION_H

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "hal/command.h"
#include "soc/cores/arithmetic.h"
#include "soc/cores/questions.h"
#include "soc/cores/scheduler.h"
#include "soc/races/scalar_lines.h"
#include "soc/scalar/source_line.h"
#include "soc/scalar/workers.h"
#include "soc/soc.h"
#include "soc/watch/watcher.h"
#include "soc/watch/waves.h"

namespace soc {

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

class emulators;
class shared_firmware;
class init_check;
class dumps;
class tensor_book;
class race_list;

struct simulation {
  simulation(const soc_options_t &run_options, soc_result_t &run_result);
  ~simulation();

  // Ends the run; the first message stays.  The calling process returns and must not go on.
  void stop(soc_status_t status, const std::string &message);
  bool stopped() const { return result.status != SOC_DONE; }
  bool watched() const { return !watchers.empty(); }

  // "cube0 MTE2 LOAD_NZ gm=... (amla.c:12)": a command as messages name it.
  std::string describe(const std::string &core, const command_t &command) {
    return describe(core, command, lines.current());
  }
  std::string describe(const std::string &core, const command_t &command, unsigned firmware);

  // Dies of a system, each with memory of its own; 1: there is no system.
  unsigned memories() const { return options.system == nullptr ? 1 : options.system->dies; }
  // From a die of a system to another.
  double latency_us(unsigned from, unsigned to) const {
    return options.system->level[system_level_of(options.system, from, to)].latency_us;
  }

  // Does the Verilog do what this command does?
  bool is_done_in_rtl(const command_t &command) const;

  // RV64 firmware, loaded once for all cores.  Throws as load_elf does.
  shared_firmware &firmware(const std::string &file);

 private:
  std::map<std::string, std::shared_ptr<shared_firmware>> firmwares_;  // by file; they outlive their emulators

 public:
  const soc_options_t &options;
  const config_t &config;
  soc_result_t &result;
  std::vector<watcher *> watchers;  // nobody, as a rule
  std::unique_ptr<waves> trace;     // for Verilated units' signals; null: no waveforms
  source_lines lines;
  scheduler clock;
  soc::scalar_lines scalar_lines;
  std::unique_ptr<arithmetic> effects;
  // Those that look at values; null: nobody has asked for it.
  std::unique_ptr<soc::init_check> init_check;
  std::unique_ptr<soc::dumps> dumps;
  std::unique_ptr<soc::tensor_book> tensor_book;  // for those who ask what memories hold (inspect/)
  std::unique_ptr<race_list> races;               // of a run that goes on after one
  uint64_t deadline = UINT64_MAX;                 // of the kernel that runs: the cycle by which it has to be over
  uint64_t stop_at = UINT64_MAX;                  // ... and the last one that is wanted of it
  uint64_t known_until = UINT64_MAX;  // of a run that was stopped: effects beyond this cycle are not looked at
  soc::questions questions;
  workers programs;                // that run scalar cores
  unsigned cores = 0, tracks = 0;  // so far: numbers of the next core, and of its next pipe
  std::unique_ptr<soc::emulators> emulators;
};

}  // namespace soc

#endif
