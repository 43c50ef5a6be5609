// SPDX-License-Identifier: Apache-2.0
#include "soc/races/hazards.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "soc/races/race_detector.h"

namespace soc {

void hazards::add(const command_t &writer, uint32_t time) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&writer, access);
  instructions_.push_back({time, writer, results_.size()});
  std::copy_if(access, access + count, std::back_inserter(results_), [](const core_access_t &a) { return a.write; });
}

void hazards::settle(uint32_t time) {
  const auto left =
      std::find_if(instructions_.begin(), instructions_.end(), [time](const instruction &i) { return i.time > time; });
  const size_t gone = left == instructions_.end() ? results_.size() : left->first;
  results_.erase(results_.begin(), results_.begin() + static_cast<std::ptrdiff_t>(gone));
  instructions_.erase(instructions_.begin(), left);
  for (instruction &i : instructions_) {
    i.first -= gone;
  }
}

const command_t *hazards::find(const command_t &later, bool writes) const {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&later, access);
  for (size_t i = instructions_.size(); i-- > 0;) {
    const size_t end = i + 1 == instructions_.size() ? results_.size() : instructions_[i + 1].first;
    for (size_t r = instructions_[i].first; r < end; ++r) {
      const core_access_t &result = results_[r];
      if (std::any_of(access, access + count,
                      [&](const core_access_t &a) { return (writes || !a.write) && accesses_overlap(a, result); })) {
        return &instructions_[i].command;
      }
    }
  }
  return nullptr;
}

}  // namespace soc
