// The atomic slices of global memory: they answer an atomic command's beats in their own time, and
// combine its operands with memory.
//
// Each slice is a Verilated gm_atomic unit (gm_slice.h), which does what there is to do when an answer may have
// come at the latest, in one of several host threads (gm_slices.h).  (With waveforms, or if somebody may look into
// memory at any time, each goes cycle by cycle with the machine.)  Or its cycles come from a queue (slice_queue.h) and
// its bits from the golden functions, which are asked when the command's other effects are.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_ATOMICS_H
#define AMALGAM_SOC_SLICES_ATOMICS_H

#include <atomic>
#include <memory>
#include <vector>

#include "core/core.h"
#include "soc/cores/scheduler.h"
#include "soc/cores/simulation.h"
#include "soc/memory/gm.h"
#include "soc/memory/gm_requests.h"
#include "soc/memory/memory.h"
#include "soc/slices/gm_slices.h"
#include "soc/slices/slice_queue.h"

namespace soc {

class atomics {
 public:
  // Those of one memory: of a machine, or of a die of a system, which there are so many of.
  atomics(simulation &sim, global_memory &gm, unsigned die, unsigned dies);
  ~atomics();

  // Sends a command's beats from now on, spread over the cycles it takes alone:
  // who->answered(number, cycle) follows.  The first is here so many cycles after now as it has to travel.  The Verilog
  // takes the operands from the core's memory now, and does it.
  void send(mover &who, const core_memory_t &memory, const command_t &command, uint64_t number, uint64_t travel,
            uint64_t duration, uint64_t now);

  // Carries out an atomic command without the Verilog.
  void apply(const core_memory_t &memory, const command_t &command);

  void report(soc_result_t &result) const;

 private:
  struct timed_slice;
  class transfer;
  class stepper;
  struct guard_count {
    std::atomic<uint32_t> flags{0};
    std::atomic<uint64_t> lanes{0};
  };

  void add_rtl_slice(const slice_clock &clock);
  transfer *begin(mover &who, uint64_t number);
  void advance_slice(unsigned slice, uint64_t now);
  void reach(const std::vector<unsigned> &slices, uint64_t now);
  void run_rtl(const std::vector<unsigned> &slices, uint64_t now);
  bool is_rtl() const { return rtl_.size() > 0; }
  uint64_t earliest(unsigned slice, uint64_t token);
  uint64_t gather(const atomic_rows &rows, const core_memory_t &memory, const command_t &command);
  void send_rtl(const atomic_rows &rows, const core_memory_t &memory, const command_t &command, mover &who,
                uint64_t number, uint64_t first, uint64_t duration, uint64_t now);
  void send_c(const atomic_rows &rows, const core_memory_t &memory, mover &who, uint64_t number, uint64_t first,
              uint64_t duration, uint64_t now);

  static void apply_words(unsigned op, uint32_t *memory, const uint32_t *operands, size_t words, guard_count &count,
                          uint32_t *old);

  simulation &sim_;
  uint8_t *const base_;                             // of the memory that they are of, ...
  const uint64_t origin_;                           // ... so many bytes after the first die's
  const unsigned first_;                            // slice of this memory, of those of the machine
  const bool stepped_;                              // --gm rtl: cycle by cycle
  gm_slices rtl_;                                   // --gm rtl: the slices
  std::vector<gm_slices::answer> answers_;          // of those that have just run
  std::vector<std::vector<gm_slice::beat>> beats_;  // of each, of the command being sent
  std::vector<std::unique_ptr<stepper>> steppers_;  // of each, if stepped_
  std::vector<std::unique_ptr<transfer>> transfers_;
  std::vector<transfer *> done_;               // of these: they may begin anew
  std::vector<timed_slice> timed_;             // --gm c: when they answer
  std::vector<unsigned> touched_;              // slices of the command being sent
  std::vector<uint32_t> room_;                 // a row's operands, if they are converted on the way
  std::vector<unsigned> reached_;              // slices of the command that looks
  std::vector<slice_queue::answer> finished_;  // of the slice looked at
  std::vector<guard_count> guards_;            // --gm c, by slice
};

}  // namespace soc

#endif
