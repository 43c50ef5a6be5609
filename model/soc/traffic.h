// The moves between cores and global memory: how long they take, what they cost HBM and L2, and the
// atomic slices.
//
//   load    begins --bytes at the rate of pipe, L2 and HBM--> moved, and there a latency later
//   store   begins --bytes at the rate of pipe and L2-------> moved, and visible a latency later
//   atomic  as a store, and its beats go to the slices, spread over the cycles it takes alone; it is
//           visible a latency after the last slice has answered
//
// Each die has an HBM and an L2 of its own; the arrays that a core uses are taken to be in its die's
// memory.  Slices are those of the whole machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_TRAFFIC_H
#define SOC_TRAFFIC_H

#include <atomic>
#include <memory>
#include <vector>

#include "core/core.h"
#include "soc/bandwidth.h"
#include "soc/gm.h"
#include "soc/gm_requests.h"
#include "soc/gm_slice.h"
#include "soc/l2_cache.h"
#include "soc/scheduler.h"
#include "soc/simulation.h"
#include "soc/slice_queue.h"

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
    uint64_t latency;          // cycles after moved (after answered)
    uint64_t duration;         // alone on the machine, latency aside
  };
  course begin(pipe &who, unsigned die, const core_memory_t &memory, const command_t &command,
                 uint64_t number, uint64_t now);

  // What an atomic command does, without the Verilog.
  void apply(const core_memory_t &memory, const command_t &command);

  void report(soc_result_t &result) const;

 private:
  class die;
  struct slice_clock;
  class transfer;
  struct guard_count {
    std::atomic<uint32_t> flags{0};
    std::atomic<uint64_t> lanes{0};
  };
  using request = std::pair<unsigned, gm_request_t>;

  void warm_up();
  double efficiency(uint64_t address, uint64_t bytes) const;
  void send(pipe &who, const core_memory_t &memory, const command_t &command, uint64_t number,
            uint64_t duration, uint64_t now);
  void advance_slice(unsigned slice, uint64_t now);
  void send_rtl(const atomic_rows &rows, const core_memory_t &memory,
                std::shared_ptr<gm_transfer> transfer, uint64_t duration, uint64_t now);
  void send_c(const atomic_rows &rows, const core_memory_t &memory, pipe &who, uint64_t number,
              uint64_t duration, uint64_t now);

  static void apply_words(unsigned op, uint32_t *memory, const uint32_t *operands, size_t words,
                          guard_count &count, uint32_t *old);

  simulation &sim_;
  global_memory &gm_;
  std::vector<std::unique_ptr<die>> dies_;
  std::vector<std::unique_ptr<gm_slice>> rtl_;             // --gm rtl: the slices
  std::vector<slice_clock> clocks_;                        // --gm c: when they answer
  std::vector<unsigned> touched_;                          // slices of the command being sent
  std::vector<uint64_t> finished_;                         // of the slice looked at
  std::vector<guard_count> guards_;                        // --gm c, by slice
};

}  // namespace soc

#endif
