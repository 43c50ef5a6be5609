// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/words.h"

#include <algorithm>
#include <cstring>

namespace soc {

words::word &words::at(uint64_t address, const void *memory) {
  word &of = words_[address];
  if (of.changes.empty()) {
    of.changes.push_back({0, {0, nullptr, {}}});
    std::memcpy(&of.changes.front().value, memory, sizeof(uint32_t));
  }
  return of;
}

// A sum comes after all that was added.
std::vector<words::waiter> words::set(const cmd_signal_t &command, void *memory, const signal &by) {
  word &of = at(command.gm, memory);
  change now = {command.value, by};
  if (command.op == GM_ADD_S32_RAW) {
    now.value += of.changes.back().value;
    now.by.before = join_seen(of.changes.back().by.before, by.before);
  }
  std::memcpy(memory, &now.value, sizeof now.value);
  of.changes.push_back(now);
  const auto due = std::stable_partition(of.waiters.begin(), of.waiters.end(),
                                         [&now](const waiter &w) { return now.value < w.least; });
  std::vector<waiter> over(due, of.waiters.end());
  of.waiters.erase(due, of.waiters.end());
  return over;
}

const words::signal *words::await(uint64_t address, const void *memory, const waiter &who) {
  word &of = at(address, memory);
  const auto found =
      std::find_if(of.changes.begin(), of.changes.end(), [&who](const change &c) { return c.value >= who.least; });
  if (found == of.changes.end()) {
    of.waiters.push_back(who);
    return nullptr;
  }
  return &found->by;
}

}  // namespace soc
