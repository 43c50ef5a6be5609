// The links between the dies of a system (config/system.h), in time: how long moves from one die to another take.
//
//   begins --message_us--> bytes at the rate of pipe and links --> moved
//
// Which latencies follow is the caller's to know (memory/traffic.cpp).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_LINKS_H
#define AMALGAM_SOC_MEMORY_LINKS_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "config/system.h"
#include "soc/cores/scheduler.h"
#include "soc/cores/simulation.h"
#include "soc/memory/memory.h"
#include "soc/memory/shares.h"

namespace soc {

class links final : public task {
 public:
  links(simulation &sim, const system_t &system);

  const system_level_t &level(unsigned from, unsigned to) const {
    return system_.level[system_level_of(&system_, from, to)];
  }
  // Begins a move between two dies, with bytes going from one to the other; who.moved(cycle) follows.  limit: bytes a
  // cycle.
  void begin(mover &who, unsigned from, unsigned to, uint64_t bytes, double limit, uint64_t now);
  // Bytes and messages between each two dies, in order.
  void report(soc_result_t &result) const;

  void run(uint64_t now) override;

 private:
  struct waiting {  // for its first byte to go
    uint64_t cycle;
    unsigned from, to;
    uint64_t bytes;
    double limit;
    mover *who;
  };
  struct books {
    uint64_t bytes = 0, messages = 0;
  };

  const std::vector<unsigned> &path(unsigned from, unsigned to);
  void plan(uint64_t now);
  void tell(uint64_t now) const;

  simulation &sim_;
  const system_t &system_;
  shares shares_;
  std::vector<std::vector<unsigned>> ports_;  // [level][2 die], out, and in behind it; of switched levels
  std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> paths_;
  std::map<std::pair<unsigned, unsigned>, books> books_;
  std::vector<waiting> waiting_;
  uint64_t planned_ = UINT64_MAX;
  std::vector<uint64_t> finished_;
};

}  // namespace soc

#endif
