// Race detector: finds two accesses to the same bytes, at least one a write, that no chain of
// flags orders, whether or not they met in this run.
//
// Every pipe is an agent with a vector clock.  A command's accesses carry the pipe's own time; a
// flag hands the setter's clock to the waiter.  An access is ordered after another when the
// waiter's clock has seen it.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_RACE_H
#define SOC_RACE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/core.h"

namespace soc {

using vector_clock = std::vector<uint64_t>;

// A memory: one of a core's buffers, or global memory.  Its agents are those that can reach it.
struct race_memory {
  std::vector<unsigned> agents;
  struct record {
    core_access_t access;
    unsigned agent;
    uint64_t time;
    command_t command;
  };
  std::vector<record> records;
  size_t prune_at = 64;
};

class race_detector {
 public:
  // core: for messages.
  unsigned add_agent(const std::string &core);
  const std::string &core_of(unsigned agent) const { return cores_[agent]; }
  // A new command of this agent begins.
  void begin(unsigned agent) { ++clocks_[agent][agent]; }
  // Notes an access; returns the earlier access it races with, if there is one.
  std::optional<race_memory::record> access(race_memory &memory, unsigned agent,
                                            const core_access_t &access, const command_t &command);
  vector_clock release(unsigned agent) const { return clocks_[agent]; }
  void acquire(unsigned agent, const vector_clock &clock);

 private:
  void prune(race_memory &memory) const;

  std::vector<vector_clock> clocks_;
  std::vector<std::string> cores_;
};

}  // namespace soc

#endif
