// Global memory in time, as pipes see it: how long the moves between cores and memory take.  The bytes themselves are
// in global_memory (gm.h).
//
// There is one of these, HBM and L2 with atomic slices (traffic.cpp); another kind of memory is another class, and
// make_memory chooses.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_MEMORY_H
#define AMALGAM_SOC_MEMORY_MEMORY_H

#include <cstdint>
#include <memory>

#include "core/core.h"
#include "soc/soc.h"

namespace soc {

struct simulation;
class global_memory;

// Whose moves they are: a pipe.  It is told what memory, or an engine, has done of its commands.
class mover {
 public:
  explicit mover(unsigned track) : track_(track) {}
  // The move that it began last has ended: it is free for the next one.
  virtual void moved(uint64_t cycle) = 0;
  // Slices or an engine have done a command, the number-th of this mover.
  virtual void answered(uint64_t number, uint64_t cycle) = 0;
  // Its number for those who look on.
  unsigned track() const { return track_; }

 protected:
  ~mover() = default;

 private:
  const unsigned track_;
};

class memory {
 public:
  struct course {
    uint64_t latency;   // cycles after moved (after answered)
    uint64_t duration;  // alone on the machine, latency aside
  };

  virtual ~memory() = default;
  // Begins the move of a command of a core, whose buffers are given; who.moved(cycle) follows.  For an atomic command
  // who.answered(number, cycle) follows, too, when it has been done; in the Verilog it takes the operands from the
  // core's buffers now, and does it.
  virtual course begin(mover &who, unsigned die, const core_memory_t &buffers, const command_t &command,
                       uint64_t number, uint64_t now) = 0;
  // Does what an atomic command does, without the Verilog.
  virtual void apply(const core_memory_t &buffers, const command_t &command) = 0;
  // Bytes that went from L2 to HBM, so far.
  virtual uint64_t written_back() const = 0;
  virtual void report(soc_result_t &result) const = 0;
};

std::unique_ptr<memory> make_memory(simulation &sim, global_memory &gm);

}  // namespace soc

#endif
