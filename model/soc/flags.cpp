// SPDX-License-Identifier: Apache-2.0
#include "soc/flags.h"

#include <algorithm>

namespace soc {

bool flag_board::set(unsigned from, const cmd_set_flag_t &command, vector_clock clock) {
  flag &f = at(from, command.to, command.event);
  if (f.up) {
    return false;
  }
  f.up = true;
  f.clock = std::move(clock);
  f.setter = command;
  raised_[command.to].notify();
  return true;
}

std::optional<vector_clock> flag_board::take(unsigned to, const cmd_wait_flag_t &command) {
  flag &f = at(command.from, to, command.event);
  if (!f.up) {
    return std::nullopt;
  }
  f.up = false;
  return std::move(f.clock);
}

void flag_board::for_each_up(const std::function<void(const cmd_set_flag_t &)> &visit) const {
  for (const flag &f : flags_) {
    if (f.up) {
      visit(f.setter);
    }
  }
}

bool cross_flag_board::set(size_t sender, const cmd_cross_set_t &command, uint64_t arrival,
                           vector_clock clock) {
  auto &queue = arrivals_[command.flag][sender];
  if (queue.size() >= CROSS_FLAG_MAX) {
    return false;
  }
  queue.push_back({arrival, std::move(clock), command});
  changed_.notify();
  return true;
}

std::optional<uint64_t> cross_flag_board::ready_at(unsigned flag) const {
  uint64_t latest = 0;
  for (const auto &queue : arrivals_[flag]) {
    if (queue.empty()) {
      return std::nullopt;
    }
    latest = std::max(latest, queue.front().cycle);
  }
  return latest;
}

std::vector<vector_clock> cross_flag_board::take(unsigned flag) {
  std::vector<vector_clock> clocks;
  for (auto &queue : arrivals_[flag]) {
    clocks.push_back(std::move(queue.front().clock));
    queue.pop_front();
  }
  return clocks;
}

void cross_flag_board::for_each_up(
    const std::function<void(size_t, const cmd_cross_set_t &)> &visit) const {
  for (const auto &flag : arrivals_) {
    for (size_t sender = 0; sender < senders_; ++sender) {
      if (!flag[sender].empty()) {
        visit(sender, flag[sender].front().setter);
      }
    }
  }
}

}  // namespace soc
