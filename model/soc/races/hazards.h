// Results of instructions of a vector pipe (VINST) that are not there yet: the pipe begins its next command while they
// are on their way.  A command that reads one needs a PIPE_BARRIER between, or anything else for which the pipe waits
// until its earlier commands are done.  Results of VEC, the tile form, are there at once.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_HAZARDS_H
#define AMALGAM_SOC_RACES_HAZARDS_H

#include <cstdint>
#include <vector>

#include "core/core.h"

namespace soc {

class hazards {
 public:
  bool empty() const { return results_.empty(); }
  // An instruction has begun, at a time of its pipe's (race_detector.h).
  void add(const command_t &writer, uint32_t time);
  // The results of instructions up to that time are there.
  void settle(uint32_t time);
  // The last instruction of which it reads a result that is not there, or with `writes` also one that it writes over;
  // null: none.
  const command_t *find(const command_t &later, bool writes) const;

 private:
  struct instruction {
    uint32_t time;
    command_t command;
    size_t first;  // of its results
  };
  std::vector<instruction> instructions_;  // in order of times
  std::vector<core_access_t> results_;
};

}  // namespace soc

#endif
