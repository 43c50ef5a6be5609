// Shared by cores: with those of their AI core, and with those that flags reach.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_CORE_GROUP_H
#define AMALGAM_SOC_CORES_CORE_GROUP_H

#include <memory>
#include <vector>

#include "soc/cores/core_unit.h"
#include "soc/cores/simulation.h"
#include "soc/cores/words.h"
#include "soc/memory/gm.h"
#include "soc/memory/memory.h"
#include "soc/races/meetings.h"
#include "soc/races/race_detector.h"

namespace soc {

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

// A domain whose accesses to global memory are ordered by flags: an AI core, two if the run is one of pairs, or
// an engine.
struct core_domain {
  core_domain(unsigned number, unsigned of_memory) : index(number), memory(of_memory) {}

  unsigned index;
  unsigned memory;  // of a system: the die that it is of, else 0
  race_detector races;
  race_memory gm_races;  // its accesses to global memory
};

// The place where all cores of the machine, or of a die of a system, meet.
class meeting_point {
 public:
  // A pipe of a core of this kind has come to a SYNC_ALL at a cycle; when all pipes like it have, all of them are told.
  virtual void arrive(pipe &who, core_kind_t kind, const core_domain &domain, uint64_t cycle) = 0;
  // A MARK at a cycle, before which all has been done and after which nothing.
  virtual void mark(uint32_t number, uint64_t cycle) = 0;
  // What SYNC_ALLs have handed on, on a domain's die.
  virtual const meetings &syncs(const core_domain &domain) const = 0;
  // A SIGNAL of a domain takes effect at a cycle, which may be to come; clock: what it comes after.
  virtual void signal(const cmd_signal_t &command, const core_domain &domain, const vector_clock &clock, uint64_t cycle,
                      const pipe_cause &cause) = 0;
  // A pipe waits for a word from now on; who.signalled() follows.
  virtual void await(const cmd_await_t &command, const words::waiter &who) = 0;

 protected:
  ~meeting_point() = default;
};

// An AI core: what its cube core and vector cores share.  Or an attention engine, alone.
struct core_group {
  simulation &sim;
  global_memory &gm;
  soc::memory &memory;
  meeting_point &meetings;
  unsigned index;  // AI cores come first, then engines
  unsigned first_of_kind;
  core_domain &domain;
  std::vector<std::unique_ptr<core_unit>> cores;  // the cube core first

  unsigned die() const { return index_of_kind() % sim.config.soc.dies; }
  unsigned index_of_kind() const { return index - first_of_kind; }
};

}  // namespace soc

#endif
