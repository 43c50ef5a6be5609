// SPDX-License-Identifier: Apache-2.0
#include "soc/races/race_detector.h"

#include <algorithm>
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

// Drops what a later access to the same bytes stands for: what has seen the later has seen the earlier, too, and what
// races with both is told the later.  Only so does the history of a loop that meets nobody end.
void drop_repeated(race_memory::history &history) {
  std::set<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, bool>> later;
  auto first = history.end();   // of those that stay, which are at the end
  for (auto r = history.end(); r-- != history.begin();) {
    const core_access_t &a = r->access;
    if (later.count({a.base, a.rows, a.pitch, a.row_bytes, true}) == 0 &&
        later.insert({a.base, a.rows, a.pitch, a.row_bytes, a.write}).second) {
      *--first = *r;
    }
  }
  history.erase(history.begin(), first);
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
  size_t mine = 0;
  for (size_t user = 0; user < memory.users.size(); ++user) {
    const race_memory::user &other = memory.users[user];
    if (other.agent == agent) {
      mine = user;
      continue;
    }
    const uint32_t seen = clock.seen[other.agent];
    if (other.latest <= seen) {
      continue;
    }
    // From the last one back to the first that this agent has not seen.
    const race_memory::history &history = memory.histories[user];
    for (auto old = history.rbegin(); old != history.rend() && old->time > seen; ++old) {
      if (old->access.base < end && access.base < old->end && (old->access.write || access.write) &&
          accesses_overlap(old->access, access)) {
        return race_found{other.agent, old->command};
      }
    }
  }
  race_memory::history &history = memory.histories[mine];
  if (history.size() == history.capacity()) {
    forget(memory, mine);
  }
  history.push_back({access, end, clock.seen[agent], command});
  memory.users[mine].latest = clock.seen[agent];
  return std::nullopt;
}

void race_memory::forget() {
  for (user &u : users) {
    u.latest = 0;
  }
  for (history &h : histories) {
    h.clear();
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
  const auto live = std::find_if(history.begin(), history.end(), [seen](const race_memory::record &r) { return r.time > seen; });
  history.erase(history.begin(), live);
  if (history.size() >= kMany) {
    drop_repeated(history);
  }
  history.reserve(std::max(kFew, 2 * history.size()));
}

}  // namespace soc
