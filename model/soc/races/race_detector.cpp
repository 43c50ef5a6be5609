// SPDX-License-Identifier: Apache-2.0
#include "soc/races/race_detector.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
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
constexpr size_t kNear = 32;     // records back in which an equal one is looked for
constexpr size_t kUnnamed = 64;  // commands, from which it pays to look for those that no record names
constexpr size_t kMany = 1024;   // records of one agent and memory, from which it pays to look for repeated ones

// Drops what came up to a time.
template <typename T>
void drop_seen(std::vector<T> &from, uint32_t seen) {
  from.erase(from.begin(),
             std::partition_point(from.begin(), from.end(), [seen](const T &x) { return x.time <= seen; }));
}

// Drops what a later access to the same bytes stands for: what has seen the later has seen the earlier, too, and what
// races with both is told the later.  Only so does the history of a loop that meets nobody end.
void drop_repeated(race_memory::history &history) {
  std::set<std::tuple<uint64_t, uint64_t, uint64_t, uint32_t, bool>> later;
  const auto stays = [&later](const race_memory::record &r) {
    return later.count({r.begin, r.end, r.pitch(), r.rows, true}) == 0 &&
           later.insert({r.begin, r.end, r.pitch(), r.rows, r.write()}).second;
  };
  std::vector<race_memory::record> kept;
  std::copy_if(history.records.rbegin(), history.records.rend(), std::back_inserter(kept), stays);
  history.records.assign(kept.rbegin(), kept.rend());
}

// Drops commands of which no access is left.
void drop_unnamed(race_memory::history &history) {
  std::set<uint32_t> times;
  for (const race_memory::record &r : history.records) {
    times.insert(r.time);
  }
  const auto is_unnamed = [&times](const race_memory::past_command &c) { return times.count(c.time) == 0; };
  history.commands.erase(std::remove_if(history.commands.begin(), history.commands.end(), is_unnamed),
                         history.commands.end());
}

// The bytes of an access are known to reach from one end to the other; its rows may leave some out.
bool rows_meet(const race_memory::record &old, const core_access_t &access) {
  if (old.rows == 1 && access.rows == 1) {
    return true;
  }
  core_access_t before = access;
  before.base = old.begin;
  before.rows = old.rows;
  before.pitch = old.pitch();
  before.row_bytes = old.end - old.begin - (old.rows - 1) * old.pitch();
  return accesses_overlap(before, access);
}

const command_t &command_of(const race_memory::history &history, uint32_t time) {
  return std::find_if(history.commands.begin(), history.commands.end(),
                      [time](const race_memory::past_command &c) { return c.time == time; })
      ->command;
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

all_seen join_seen(const all_seen &a, const all_seen &b) {
  if (a == nullptr || b == nullptr) {
    return a == nullptr ? b : a;
  }
  auto both = std::make_shared<std::vector<domain_seen>>();
  auto x = a->begin(), y = b->begin();
  while (x != a->end() || y != b->end()) {
    const bool first = y == b->end() || (x != a->end() && x->domain <= y->domain);
    const bool same = x != a->end() && y != b->end() && x->domain == y->domain;
    both->push_back(first ? *x : *y);
    for (unsigned i = 0; same && i < kAgents; ++i) {
      both->back().seen[i] = std::max(x->seen[i], y->seen[i]);
    }
    x += first ? 1 : 0;
    y += !first || same ? 1 : 0;
  }
  return *both == *b ? b : *both == *a ? a : both;
}

const domain_seen *seen_of(const all_seen &all, unsigned domain) {
  if (all == nullptr) {
    return nullptr;
  }
  const auto found = std::lower_bound(all->begin(), all->end(), domain,
                                      [](const domain_seen &d, unsigned number) { return d.domain < number; });
  return found == all->end() || found->domain != domain ? nullptr : &*found;
}

unsigned race_detector::add_agent(const std::string &core) {
  assert(cores_.size() < kAgents);
  cores_.push_back(core);
  return static_cast<unsigned>(cores_.size() - 1);
}

std::optional<race_found> race_detector::access(race_memory &memory, unsigned agent, const core_access_t &access,
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
    if (other.latest <= seen || end <= other.low || other.high <= access.base) {
      continue;
    }
    // From the last one back to the first that this agent has not seen.
    const race_memory::history &history = memory.histories[i];
    uint32_t latest = 0;
    for (size_t r = history.records.size(); r-- > 0 && history.records[r].time > seen;) {
      const race_memory::record &old = history.records[r];
      if (old.begin < end && access.base < old.end && (old.write() || access.write) && rows_meet(old, access)) {
        latest = std::max(latest, old.time);
      }
    }
    if (latest != 0) {
      return race_found{other.agent, latest, command_of(history, latest)};
    }
  }
  assert(mine < memory.users.size());  // only pipes that reach it use it
  note(memory, mine, access, end, command);
  return std::nullopt;
}

void race_detector::add(race_memory &memory, unsigned agent, const core_access_t &access,
                        const command_t &command) const {
  const auto mine = std::find_if(memory.users.begin(), memory.users.end(),
                                 [agent](const race_memory::user &u) { return u.agent == agent; });
  note(memory, static_cast<size_t>(mine - memory.users.begin()), access, end_of(access), command);
}

// The record of these bytes, if the agent has noted them since it last handed its clock on: whoever has seen that clock
// will have seen this access, too. Null: it has not noted them, or not lately.
race_memory::record *race_detector::noted(race_memory::history &history, unsigned agent, uint64_t end,
                                          const core_access_t &access) const {
  const size_t stop = history.records.size() - std::min(history.records.size(), kNear);
  for (size_t r = history.records.size(); r-- > stop && history.records[r].time > handed_on_[agent];) {
    race_memory::record &old = history.records[r];
    if (old.begin == access.base && old.end == end && old.rows == access.rows && old.pitch() == access.pitch &&
        old.write() == access.write) {
      return &old;
    }
  }
  return nullptr;
}

void race_detector::note(race_memory &memory, size_t number, const core_access_t &access, uint64_t end,
                         const command_t &command) const {
  race_memory::history &history = memory.histories[number];
  race_memory::user &user = memory.users[number];
  const uint32_t time = clocks_[user.agent].seen[user.agent];
  if (history.records.size() == history.records.capacity() || history.commands.size() == history.commands.capacity()) {
    forget(memory, number);
  }
  if (race_memory::record *old = noted(history, user.agent, end, access)) {
    old->time = time;
  } else {
    user.low = std::min(user.low, access.base);
    user.high = std::max(user.high, end);
    race_memory::record &now = history.records.emplace_back();
    now.begin = access.base;
    now.end = end;
    now.pitch_and_write = access.pitch << 1 | access.write;
    now.rows = static_cast<uint32_t>(access.rows);
    now.time = time;
  }
  if (user.latest != time) {
    race_memory::past_command &now = history.commands.emplace_back();
    now.time = time;
    now.command = command;
    user.latest = time;
  }
}

void race_memory::forget() {
  for (user &u : users) {
    u = {u.agent};
  }
  for (history &h : histories) {
    h.records.clear();
    h.commands.clear();
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
  drop_seen(history.records, seen);
  drop_seen(history.commands, seen);
  if (history.records.size() >= kMany) {
    drop_repeated(history);
  }
  race_memory::user &user = memory.users[mine];
  user.low = UINT64_MAX;
  user.high = 0;
  for (const race_memory::record &r : history.records) {
    user.low = std::min(user.low, r.begin);
    user.high = std::max(user.high, r.end);
  }
  if (history.commands.size() >= std::max(kUnnamed, 2 * history.records.size())) {
    drop_unnamed(history);
  }
  history.records.reserve(std::max(kFew, 2 * history.records.size()));
  history.commands.reserve(std::max(kFew, 2 * history.commands.size()));
}

}  // namespace soc
