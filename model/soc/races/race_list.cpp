// SPDX-License-Identifier: Apache-2.0
#include "soc/races/race_list.h"

#include <algorithm>

namespace soc {
namespace {

constexpr size_t kFlagsShown = 4;
constexpr unsigned kOwnEvents = 8;  // of a program; those above are a layer's

uint64_t pc_of(const race_list::side &s) { return s.command ? s.command->header.pc_ : 0; }
unsigned pipe_of(const race_list::side &s) { return s.command->header.pipe_; }

bool is_in_one_program(const race_list::row &race) { return race.then.command && race.first.core == race.then.core; }

bool is_of_scalar(const race_list::row &race) {
  return race.first.command && (pipe_of(race.first) == PIPE_S || pipe_of(race.then) == PIPE_S);
}

}  // namespace

void race_list::flag(const std::string &core, uint64_t order, const cmd_set_flag_t &command) {
  flags_[core].push_back({order, command});
}

void race_list::began(unsigned domain, unsigned agent, uint32_t time, uint64_t order) {
  orders_[{domain, agent}].emplace_back(time, order);
}

uint64_t race_list::order_of(unsigned domain, unsigned agent, uint32_t time) const {
  const auto all = orders_.find({domain, agent});
  if (all == orders_.end()) {
    return 0;
  }
  const auto at = std::lower_bound(all->second.begin(), all->second.end(), std::make_pair(time, uint64_t{0}));
  return at == all->second.end() ? 0 : at->second;
}

void race_list::add(core_space_t space, side first, side then) {
  row race = {space, 1, std::move(first), std::move(then), "", "", false};
  if (is_in_one_program(race) && race.then.order < race.first.order) {
    std::swap(race.first, race.then);
  }
  const auto known = std::find_if(rows_.begin(), rows_.end(), [&race](const row &r) {
    return r.space == race.space && pc_of(r.first) == pc_of(race.first) && pc_of(r.then) == pc_of(race.then);
  });
  if (known != rows_.end()) {
    ++known->count;
    return;
  }
  race.between = between(race);
  race.needed = needed(race);
  const bool of_v = is_in_one_program(race) && pipe_of(race.first) == PIPE_V && pipe_of(race.then) == PIPE_V;
  race.compiler = is_in_one_program(race) && (of_v || is_of_scalar(race));
  rows_.push_back(std::move(race));
}

// Each pair of pipes once, with the line that sets the first flag.
std::string race_list::between(const row &race) const {
  const auto all = flags_.find(race.first.core);
  std::string text;
  std::vector<std::pair<unsigned, unsigned>> seen;
  if (!is_in_one_program(race) || all == flags_.end()) {
    return text;
  }
  for (const set_flag &f : all->second) {
    const std::pair<unsigned, unsigned> pair = {f.command.pipe_, f.command.to};
    if (f.order > race.first.order && f.order < race.then.order && seen.size() < kFlagsShown &&
        std::find(seen.begin(), seen.end(), pair) == seen.end()) {
      seen.push_back(pair);
      text += std::string(text.empty() ? "" : "; ") + core_pipe_name(pair.first) + " to " +
              core_pipe_name(pair.second) + ", event " + std::to_string(f.command.event) + ", at " +
              line_(f.command.pc_);
    }
  }
  return text;
}

// The lowest event of these pipes that the program has not used so far; if it has used all, the lowest.
unsigned race_list::free_event(const row &race) const {
  unsigned used = 0;
  const auto all = flags_.find(race.first.core);
  for (size_t i = 0; all != flags_.end() && i < all->second.size(); ++i) {
    const cmd_set_flag_t &f = all->second[i].command;
    used |= f.pipe_ == pipe_of(race.first) && f.to == pipe_of(race.then) && f.event < kOwnEvents ? 1u << f.event : 0;
  }
  unsigned event = 0;
  while (event < kOwnEvents && (used >> event & 1) != 0) {
    ++event;
  }
  return event % kOwnEvents;
}

std::string race_list::needed(const row &race) const {
  if (!race.first.command) {
    return "a SYNC_ALL of both cores (SyncAll)";
  }
  if (!is_in_one_program(race)) {
    return "a flag between the cores (CrossCoreSetFlag), or a SYNC_ALL";
  }
  const std::string from = core_pipe_name(pipe_of(race.first)), to = core_pipe_name(pipe_of(race.then));
  if (from == to) {
    return "a barrier of " + from + " (PipeBarrier<PIPE_" + from + ">)";
  }
  return "a flag from " + from + " to " + to + ", such as event " + std::to_string(free_event(race)) +
         ": set after the first, awaited before the second";
}

}  // namespace soc
