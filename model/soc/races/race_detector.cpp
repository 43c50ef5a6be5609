// SPDX-License-Identifier: Apache-2.0
#include "soc/races/race_detector.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <set>
#include <tuple>

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

constexpr size_t kFew = 4;       // records that an agent and memory has room for at first: what is used again soon
constexpr size_t kMany = 1024;   // records of one agent and memory, from which it pays to look for repeated ones

template <typename T>
void drop_first(std::vector<T> &from, size_t count) {
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

// Drops what a later access to the same bytes stands for: what has seen the later has seen the earlier, too, and what
// races with both is told the later.  Only so does the history of a loop that meets nobody end.
void drop_repeated(race_memory::history &history) {
  std::set<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, bool>> later;
  size_t first = history.records.size();   // of those that stay, which are at the end
  for (size_t i = history.records.size(); i-- > 0;) {
    const core_access_t &a = history.details[i].access;
    if (later.count({a.base, a.rows, a.pitch, a.row_bytes, true}) == 0 &&
        later.insert({a.base, a.rows, a.pitch, a.row_bytes, a.write}).second) {
      history.records[--first] = history.records[i];
      history.details[first] = history.details[i];
    }
  }
  drop_first(history.records, first);
  drop_first(history.details, first);
}

}  // namespace

bool accesses_overlap(const core_access_t &a, const core_access_t &b) {
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

unsigned race_detector::add_agent(const std::string &core) {
  cores_.push_back(core);
  return static_cast<unsigned>(cores_.size() - 1);
}

std::optional<race_found> race_detector::access(race_memory &memory, unsigned agent,
                                                const core_access_t &access,
                                                const command_t &command) {
  const vector_clock &clock = clocks_[agent];
  const uint64_t end = end_of(access);
  size_t mine = memory.users.size();
  for (size_t i = 0; i < memory.users.size(); ++i) {
    const race_memory::user &other = memory.users[i];
    if (other.agent == agent) {
      mine = i;
      continue;
    }
    const uint32_t seen = clock.seen[other.agent];
    if (other.latest <= seen) {
      continue;
    }
    // From the last one back to the first that this agent has not seen.
    const race_memory::history &history = memory.histories[i];
    for (size_t r = history.records.size(); r-- > 0 && history.records[r].time > seen;) {
      const race_memory::record &old = history.records[r];
      if (old.begin < end && access.base < old.end && (old.write || access.write) &&
          accesses_overlap(history.details[r].access, access)) {
        return race_found{other.agent, history.details[r].command};
      }
    }
  }
  assert(mine < memory.users.size());   // only pipes that reach it use it
  race_memory::history &history = memory.histories[mine];
  if (history.records.size() == history.records.capacity()) {
    forget(memory, mine);
  }
  history.records.push_back({access.base, end, clock.seen[agent], access.write});
  history.details.push_back({access, command});
  memory.users[mine].latest = clock.seen[agent];
  return std::nullopt;
}

void race_memory::forget() {
  for (user &u : users) {
    u.latest = 0;
  }
  for (history &h : histories) {
    h.records.clear();
    h.details.clear();
  }
}

// Drops what every other agent that can reach this memory has seen: nothing can race with it again.
void race_detector::forget(race_memory &memory, size_t mine) const {
  const unsigned agent = memory.users[mine].agent;
  uint32_t seen = UINT32_MAX;
  for (const race_memory::user &other : memory.users) {
    seen = other.agent == agent ? seen : std::min(seen, clocks_[other.agent].seen[agent]);
  }
  race_memory::history &history = memory.histories[mine];
  const auto live = std::find_if(history.records.begin(), history.records.end(),
                                 [seen](const race_memory::record &r) { return r.time > seen; });
  const auto seen_by_all = static_cast<size_t>(live - history.records.begin());
  drop_first(history.records, seen_by_all);
  drop_first(history.details, seen_by_all);
  if (history.records.size() >= kMany) {
    drop_repeated(history);
  }
  history.records.reserve(std::max(kFew, 2 * history.records.size()));
}

}  // namespace soc
