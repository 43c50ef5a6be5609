// The machine: AI cores, global memory and what they share.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_MACHINE_H
#define AMALGAM_SOC_CORES_MACHINE_H

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "soc/cores/core_unit.h"
#include "soc/cores/simulation.h"
#include "soc/memory/gm.h"
#include "soc/memory/traffic.h"
#include "soc/races/init_check.h"
#include "soc/races/race_detector.h"
#include "soc/watch/dumps.h"

namespace soc {

class machine;

// Pairs of AI cores: AI core i is on die i % dies, and there its neighbour is the other one.
struct pairing {
  explicit pairing(const config_soc_t &soc)
      : dies(soc.dies), count(soc.ai_cores % (2 * soc.dies) == 0 ? soc.ai_cores / 2 : 0) {}

  unsigned dies;
  unsigned count;  // 0: there are none
  unsigned pair(unsigned ai_core) const { return ai_core / dies / 2 * dies + ai_core % dies; }
  unsigned side(unsigned ai_core) const { return ai_core / dies % 2; }
  unsigned other(unsigned ai_core) const { return side(ai_core) == 0 ? ai_core + dies : ai_core - dies; }
};

// What orders its accesses to global memory by flags: an AI core, two if the run is one of pairs, or
// an engine.
struct core_domain {
  explicit core_domain(unsigned number) : index(number) {}

  unsigned index;
  race_detector races;
  race_memory gm_races;  // its accesses to global memory
};

// An AI core: what its cube core and vector cores share.  Or an attention engine, alone.
struct core_group {
  core_group(machine &whole, unsigned number, unsigned first, unsigned of_die, core_domain &in)
      : all(whole), index(number), first_of_kind(first), die(of_die), domain(in), races(in.races) {}

  machine &all;
  unsigned index;  // AI cores come first, then engines
  unsigned first_of_kind;
  unsigned die;
  core_domain &domain;
  race_detector &races;
  std::vector<std::unique_ptr<core_unit>> cores;  // the cube core first

  // A command takes effect at a cycle, the number-th of its pipe from 0 on.
  void log(unsigned agent, uint64_t cycle, const core_unit &core, const command_t &command, uint64_t number);
  bool done_in_rtl(const command_t &command) const;
  // Carries out what came before a command whose operands are needed now.
  void bring_up_to_date_for(const command_t &command, uint64_t now);
};

class machine {
 public:
  machine(simulation &sim, global_memory &gm);
  // Runs a kernel until nothing moves; returns the cycles it took.
  uint64_t launch(const std::string &firmware);
  void report(soc_result_t &result) const;
  // Results are again what nobody wrote; the host may have written an array, or looks at it as a result, in any of its
  // threads.
  void results_cleared();
  void host_uses(uint64_t address);

  simulation &sim() { return sim_; }
  global_memory &gm() { return gm_; }
  traffic &memory() { return memory_; }
  // Null: nobody has asked for it.
  init_check *unwritten() { return unwritten_.get(); }
  dumps *dumped() { return dumps_.get(); }
  tensor_book *written() const { return written_.get(); }
  void for_each_core(const std::function<void(core_unit &)> &visit) const;

  // A pipe has come to a SYNC_ALL at a cycle; when all pipes of its name on cores of its kind have,
  // all of them are told.
  void arrive(pipe &who, core_unit &core, unsigned id, uint64_t cycle);
  // A MARK at a cycle, before which all has been done and after which nothing.
  void mark(uint32_t number, uint64_t cycle);

 private:
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
  void stop_here();

  struct meeting {
    std::vector<std::pair<pipe *, unsigned>> arrived;  // and its domain
    std::vector<vector_clock> clocks;                  // by domain: what its pipes had seen
    uint64_t latest = 0;
    pipe_cause cause;     // who was the latest
    uint32_t number = 0;  // of the SYNC_ALLs so far
  };

  simulation &sim_;
  global_memory &gm_;
  traffic memory_;
  std::unique_ptr<init_check> unwritten_;
  std::unique_ptr<dumps> dumps_;
  std::unique_ptr<tensor_book> written_;  // for those who ask what memories hold (inspect/)
  std::mutex host_mutex_;                 // of of_host_
  std::set<uint64_t> of_host_;            // first bytes of arrays that the host has used
  std::vector<std::unique_ptr<core_domain>> domains_;
  std::vector<std::unique_ptr<core_group>> groups_;
  meeting meetings_[CORE_KIND_COUNT][PIPE_COUNT];
  std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
  unsigned events_ = 0;
  uint64_t begin_ = 0;            // of the launch
  size_t marks_room_ = 0;         // in the result
  uint64_t marked_ = UINT64_MAX;  // the last number of the launch, if there was one
};

}  // namespace soc

#endif
