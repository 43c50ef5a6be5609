// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/flags.h"

#include <algorithm>

namespace soc {

bool flag_board::set(unsigned from, uint64_t cycle, const vector_clock &clock, const cmd_set_flag_t &setter,
                     uint64_t number) {
  uint16_t &at = numbers_[place(from, setter.to, setter.event)];
  if (at == 0) {
    flags_.emplace_back();
    at = static_cast<uint16_t>(flags_.size());
  }
  flag &f = flags_[at - 1u];
  raised &r = f.sets.add_back();
  r.cycle = cycle;
  r.clock = clock;
  r.setter = setter;
  r.number = number;
  return f.sets.size() > 1 || cycle >= f.lowered;
}

const flag_board::raised *flag_board::peek(unsigned to, const cmd_wait_flag_t &command) {
  const unsigned at = numbers_[place(command.from, to, command.event)];
  return at == 0 || flags_[at - 1].sets.empty() ? nullptr : &flags_[at - 1].sets.front();
}

std::optional<cmd_set_flag_t> flag_board::take(unsigned to, const cmd_wait_flag_t &command, uint64_t cycle) {
  flag &f = flags_[numbers_[place(command.from, to, command.event)] - 1u];
  f.sets.pop_front();
  f.lowered = cycle;
  if (!f.sets.empty() && f.sets.front().cycle < cycle) {
    return f.sets.front().setter;
  }
  return std::nullopt;
}

void flag_board::for_each_up(const std::function<void(const cmd_set_flag_t &, size_t)> &visit) const {
  for (const unsigned at : numbers_) {
    if (at != 0 && !flags_[at - 1].sets.empty()) {
      visit(flags_[at - 1].sets.back().setter, flags_[at - 1].sets.size());
    }
  }
}

void flag_board::for_each_raised(const std::function<void(unsigned, const raised &, size_t)> &visit) const {
  for (unsigned i = 0; i < PIPE_COUNT * PIPE_COUNT * FLAG_EVENTS; ++i) {
    const unsigned at = numbers_[i];
    if (at != 0 && !flags_[at - 1].sets.empty()) {
      visit(i / FLAG_EVENTS / PIPE_COUNT, flags_[at - 1].sets.front(), flags_[at - 1].sets.size());
    }
  }
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

bool cross_flag_board::take(unsigned flag, uint64_t cycle, const std::function<void(const arrival &, size_t)> &visit,
                            size_t &sender, cmd_cross_set_t &setter) {
  bool good = true;
  for (size_t i = 0; i < senders_; ++i) {
    auto &queue = arrivals_[flag][i];
    if (queue.size() > CROSS_FLAG_MAX && queue[CROSS_FLAG_MAX].sent < cycle) {
      good = false;
      sender = i;
      setter = queue[CROSS_FLAG_MAX].setter;
    }
    visit(queue.front(), i);
    queue.pop_front();
  }
  return good;
}

void cross_flag_board::for_each_up(const std::function<void(size_t, const cmd_cross_set_t &, size_t)> &visit) const {
  for (const auto &flag : arrivals_) {
    for (size_t sender = 0; sender < senders_; ++sender) {
      if (!flag[sender].empty()) {
        visit(sender, flag[sender].back().setter, flag[sender].size());
      }
    }
  }
}

void cross_flag_board::for_each_arrival(const std::function<void(size_t, const arrival &, size_t)> &visit) const {
  for (const auto &flag : arrivals_) {
    for (size_t sender = 0; sender < senders_; ++sender) {
      if (!flag[sender].empty()) {
        visit(sender, flag[sender].front(), flag[sender].size());
      }
    }
  }
}

}  // namespace soc
