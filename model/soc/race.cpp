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

bool is_same(const core_access_t &a, const core_access_t &b) {
  return a.write == b.write && a.base == b.base && a.rows == b.rows && a.row_bytes == b.row_bytes &&
         a.pitch == b.pitch;
}

}  // namespace

unsigned race_detector::add_agent(const std::string &core) {
  cores_.push_back(core);
  return static_cast<unsigned>(cores_.size() - 1);
}

void race_detector::acquire(unsigned agent, const vector_clock &clock) {
  vector_clock &mine = clocks_[agent];
  for (size_t i = 0; i < kAgents; ++i) {
    mine.seen[i] = std::max(mine.seen[i], clock.seen[i]);
  }
  mine.syncs = std::max(mine.syncs, clock.syncs);
}

const race_memory::record *race_detector::access(race_memory &memory, unsigned agent,
                                                 const core_access_t &access,
                                                 const command_t &command) {
  const vector_clock &clock = clocks_[agent];
  const uint64_t begin = access.base;
  const uint64_t end = end_of(access);
  race_memory::record *same = nullptr;
  for (race_memory::record &old : memory.records) {
    if (old.end <= begin || old.begin >= end) {
      continue;
    }
    if (old.agent == agent) {
      same = is_same(old.access, access) ? &old : same;
      continue;
    }
    const bool ordered = old.time <= clock.seen[old.agent];
    if (!ordered && (old.access.write || access.write) && overlap(old.access, access)) {
      return &old;
    }
  }
  if (same != nullptr) {
    // What is ordered with the later of two equal accesses is with the earlier.
    same->time = clock.seen[agent];
    same->command = command;
    return nullptr;
  }
  memory.records.push_back({begin, end, agent, clock.seen[agent], access, command});
  if (memory.records.size() >= memory.prune_at) {
    prune(memory);
  }
  return nullptr;
}

// Forgets what every agent that can reach this memory has seen: nothing can race with it again.
void race_detector::prune(race_memory &memory) const {
  auto seen_by_all = [&](const race_memory::record &old) {
    return std::all_of(memory.agents.begin(), memory.agents.end(), [&](unsigned agent) {
      return agent == old.agent || clocks_[agent].seen[old.agent] >= old.time;
    });
  };
  memory.records.erase(
      std::remove_if(memory.records.begin(), memory.records.end(), seen_by_all),
      memory.records.end());
  memory.prune_at = std::max<size_t>(32, 2 * memory.records.size());
}

}  // namespace soc
