// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/occupancy.h"

#include <algorithm>

namespace soc {

void occupancy::access(const core_access_t &access, uint64_t begin, uint64_t end) {
  for (uint64_t row = 0; row < access.rows; ++row) {
    const uint64_t from = access.base + row * access.pitch;
    const uint64_t last = (from + access.row_bytes - 1) / kUnit;
    if (units_.size() <= last) {
      units_.resize(last + 1);
    }
    for (uint64_t i = from / kUnit; i <= last; ++i) {
      unit &u = units_[i];
      if (!access.write) {
        u.read = std::max(u.read, end);
        continue;
      }
      if (u.used && u.written == begin) {
        continue;  // another row of the same write
      }
      if (u.used) {
        changes_.push_back({u.written, kUnit});
        changes_.push_back({std::min(u.read, begin), -static_cast<int64_t>(kUnit)});
      }
      u = {begin, end, true};
    }
  }
}

std::vector<occupancy::step> occupancy::course(uint64_t step_cycles) const {
  std::vector<step> changes = changes_;
  for (const unit &u : units_) {
    if (u.used) {
      changes.push_back({u.written, kUnit});
      changes.push_back({u.read, -static_cast<int64_t>(kUnit)});
    }
  }
  std::sort(changes.begin(), changes.end(), [](const step &a, const step &b) { return a.cycle < b.cycle; });
  std::vector<step> steps;
  int64_t bytes = 0;
  for (size_t i = 0; i < changes.size();) {
    const uint64_t begin = changes[i].cycle;
    int64_t most = -1;
    while (i < changes.size() && changes[i].cycle - begin < std::max<uint64_t>(step_cycles, 1)) {
      const uint64_t cycle = changes[i].cycle;
      for (; i < changes.size() && changes[i].cycle == cycle; ++i) {
        bytes += changes[i].bytes;
      }
      most = std::max(most, bytes);
    }
    if (steps.empty() || steps.back().bytes != most) {
      steps.push_back({begin, most});
    }
  }
  if (!steps.empty() && steps.back().bytes != bytes) {
    steps.push_back({changes.back().cycle + 1, bytes});
  }
  return steps;
}

}  // namespace soc
