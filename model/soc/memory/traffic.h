// The moves between cores and global memory: how long they take, and what they cost HBM and L2.
//
//   load    begins --bytes at the rate of pipe, L2 and HBM--> moved, and there a latency later
//   store   begins --bytes at the rate of pipe and L2-------> moved, and visible a latency later
//   atomic  as a store, and its beats go to the slices (atomics.h); it is visible a latency after the
//           last slice has answered
//
// Each die has an HBM and an L2 of its own; the arrays that a core uses are taken to be in its die's
// memory.  Slices are those of the whole machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_TRAFFIC_H
#define AMALGAM_SOC_MEMORY_TRAFFIC_H

#include <memory>
#include <vector>

#include "core/core.h"
#include "soc/cores/scheduler.h"
#include "soc/cores/simulation.h"
#include "soc/memory/bandwidth.h"
#include "soc/memory/gm.h"
#include "soc/memory/l2_cache.h"
#include "soc/slices/atomics.h"

namespace soc {

class pipe;

class traffic {
 public:
  traffic(simulation &sim, global_memory &gm);
  ~traffic();

  // Begins the move of a command; who->moved(cycle) follows when the pipe is free again.  For an
  // atomic command who->answered(number, cycle) follows, too, when the slices have done it; in the
  // Verilog it takes the operands from the core's memory now, and does it.
  struct course {
    uint64_t latency;   // cycles after moved (after answered)
    uint64_t duration;  // alone on the machine, latency aside
  };
  course begin(pipe &who, unsigned die, const core_memory_t &memory, const command_t &command, uint64_t number,
               uint64_t now);

  // What an atomic command does, without the Verilog.
  void apply(const core_memory_t &memory, const command_t &command) { atomics_.apply(memory, command); }

  uint64_t written_back() const;  // bytes, so far
  void report(soc_result_t &result) const;

 private:
  class die;

  void warm_up();
  bool aligned(const core_access_t &gm) const;
  struct gathered {
    uint32_t count;  // of rows that are read
    uint64_t cold;   // bytes of them that are not in L2
    double share;    // of the pipe's rate
  };
  gathered gather(l2_cache &l2, const core_memory_t &memory, const cmd_gather_in_t &command);

  simulation &sim_;
  global_memory &gm_;
  std::vector<std::unique_ptr<die>> dies_;
  atomics atomics_;
};

}  // namespace soc

#endif
