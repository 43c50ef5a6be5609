// The part of a core's memories that holds something that is still to be read: from the begin of the write
// that put it there to the end of the last read before the next write.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_OCCUPANCY_H
#define AMALGAM_SOC_WATCH_OCCUPANCY_H

#include <cstdint>
#include <vector>

#include "core/core.h"

namespace soc {

class occupancy {
 public:
  // From a cycle on, so many bytes.
  struct step {
    uint64_t cycle;
    int64_t bytes;
  };
  // An access of a command that was at work from begin to end.  In order of begins.
  void access(const core_access_t &access, uint64_t begin, uint64_t end);
  // Its course in steps of at least so many cycles, each the most there was in it.
  std::vector<step> course(uint64_t step_cycles) const;

 private:
  static constexpr uint64_t kUnit = 256;  // bytes looked at together
  struct unit {
    uint64_t written = 0, read = 0;  // begin of the write, end of the last read of it
    bool used = false;
  };
  std::vector<unit> units_;
  std::vector<step> changes_;
};

}  // namespace soc

#endif
