// SPDX-License-Identifier: Apache-2.0
#include "soc/race.h"

#include <algorithm>

namespace soc {
namespace {

uint64_t end_of(const core_access_t &a) { return a.base + (a.rows - 1) * a.pitch + a.row_bytes; }

// Does a contiguous run of bytes meet a rectangle?
bool meets(uint64_t first, uint64_t end, const core_access_t &rect) {
  if (end <= rect.base || first >= end_of(rect)) {
    return false;
  }
  if (rect.rows == 1 || rect.pitch <= rect.row_bytes) {
    return true;
  }
  const uint64_t row = first <= rect.base ? 0 : (first - rect.base) / rect.pitch;
  const uint64_t row_begin = rect.base + row * rect.pitch;
  if (first < row_begin + rect.row_bytes) {
    return end > row_begin;
  }
  return row + 1 < rect.rows && end > row_begin + rect.pitch;
}

bool overlap(const core_access_t &a, const core_access_t &b) {
  if (end_of(a) <= b.base || end_of(b) <= a.base) {
    return false;
  }
  const core_access_t &walked = a.rows <= b.rows ? a : b;
  const core_access_t &other = a.rows <= b.rows ? b : a;
  for (uint64_t row = 0; row < walked.rows; ++row) {
    const uint64_t first = walked.base + row * walked.pitch;
    if (meets(first, first + walked.row_bytes, other)) {
      return true;
    }
  }
  return false;
}

}  // namespace

unsigned race_detector::add_agent(const std::string &core) {
  cores_.push_back(core);
  for (vector_clock &clock : clocks_) {
    clock.push_back(0);
  }
  clocks_.emplace_back(clocks_.size() + 1, 0);
  return static_cast<unsigned>(clocks_.size() - 1);
}

void race_detector::acquire(unsigned agent, const vector_clock &clock) {
  vector_clock &mine = clocks_[agent];
  for (size_t i = 0; i < clock.size(); ++i) {
    mine[i] = std::max(mine[i], clock[i]);
  }
}

std::optional<race_memory::record> race_detector::access(race_memory &memory, unsigned agent,
                                                         const core_access_t &access,
                                                         const command_t &command) {
  const vector_clock &clock = clocks_[agent];
  for (const race_memory::record &old : memory.records) {
    const bool ordered = old.agent == agent || old.time <= clock[old.agent];
    if (!ordered && (old.access.write || access.write) && overlap(old.access, access)) {
      return old;
    }
  }
  memory.records.push_back({access, agent, clock[agent], command});
  if (memory.records.size() >= memory.prune_at) {
    prune(memory);
  }
  return std::nullopt;
}

// Forgets what every agent that can reach this memory has seen: nothing can race with it again.
void race_detector::prune(race_memory &memory) const {
  auto seen_by_all = [&](const race_memory::record &old) {
    return std::all_of(memory.agents.begin(), memory.agents.end(), [&](unsigned agent) {
      return agent == old.agent || clocks_[agent][old.agent] >= old.time;
    });
  };
  memory.records.erase(
      std::remove_if(memory.records.begin(), memory.records.end(), seen_by_all),
      memory.records.end());
  memory.prune_at = std::max<size_t>(64, 2 * memory.records.size());
}

}  // namespace soc
