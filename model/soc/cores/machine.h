// The machine: AI cores, global memory and what they share.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_MACHINE_H
#define AMALGAM_SOC_CORES_MACHINE_H

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "soc/cores/core_group.h"

namespace soc {

class machine final : public meeting_point {
 public:
  machine(simulation &sim, global_memory &gm);
  ~machine();
  // Runs a kernel until nothing moves; returns the cycles it took.
  uint64_t launch(const std::string &firmware);
  void report(soc_result_t &result) const;
  // A program runs in circles in its thread, and cannot be stopped: the machine has to stay.
  bool is_haunted() const { return haunted_; }
  // Results are again what nobody wrote; the host may have written an array, or looks at it as a result, in any of its
  // threads.
  void results_cleared();
  void host_uses(uint64_t address);

  simulation &sim() { return sim_; }
  global_memory &gm() { return gm_; }
  void for_each_core(const std::function<void(core_unit &)> &visit) const;

  void arrive(pipe &who, core_kind_t kind, const core_domain &domain, uint64_t cycle) override;
  void mark(uint32_t number, uint64_t cycle) override;
  const meetings &syncs(const core_domain &domain) const override { return syncs_[domain.memory]; }
  void signal(const cmd_signal_t &command, const core_domain &domain, const vector_clock &clock, uint64_t cycle,
              const pipe_cause &cause) override;
  void await(const cmd_await_t &command, const words::waiter &who) override;

 private:
  core_domain &add_domain(unsigned memory);
  void tell(const words::waiter &who, const words::signal &signal);
  core_group &add_group(unsigned index, unsigned first_of_kind, core_domain &domain);
  void add_ai_cores();
  void add_engines();
  void connect_pairs();
  bool finished() const;
  void explain_deadlock();
  uint64_t latest() const;
  void report_unwritten(soc_result_t &result) const;
  bool between_events(uint64_t now);
  void carry_out(uint64_t cycle, const core_memory_t &memory, const command_t &command, uint32_t dumped);
  void add_init_check();
  soc_unstored_t unstored(const soc_buffer_t &buffer) const;
  void report_unstored(soc_result_t &result) const;
  void stop_here();
  void run(const std::string &firmware);

  struct meeting {
    std::vector<std::pair<pipe *, unsigned>> arrived;  // and its domain
    uint64_t latest = 0;
    pipe_cause cause;  // who was the latest
  };

  simulation &sim_;
  global_memory &gm_;
  std::unique_ptr<memory> memory_;
  std::mutex host_mutex_;              // of arrays_of_host_
  std::set<uint64_t> arrays_of_host_;  // first bytes of arrays that the host has used
  std::vector<std::unique_ptr<core_domain>> domains_;
  std::vector<std::unique_ptr<core_group>> groups_;
  std::vector<std::array<meeting, kSeries>> meetings_;  // of each die of a system, else one
  std::vector<meetings> syncs_;                         // likewise
  class mail;
  words words_;
  std::vector<std::unique_ptr<mail>> mail_;  // SIGNALs on their way, ...
  std::vector<mail *> read_;                 // ... and those that have come, which may go again
  std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
  unsigned events_ = 0;
  bool haunted_ = false;
  uint64_t begin_ = 0;            // of the launch
  size_t marks_room_ = 0;         // in the result
  uint64_t marked_ = UINT64_MAX;  // the last number of the launch, if there was one
};

}  // namespace soc

#endif
