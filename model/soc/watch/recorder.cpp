// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/recorder.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

extern "C" const soc_command_t *soc_record_find(const soc_record_t *record, uint32_t track, uint64_t number) {
  if (track >= record->track_count) {
    return nullptr;
  }
  const soc_command_t *begin = record->commands + record->first[track];
  const soc_command_t *end = record->commands + record->first[track + 1];
  const soc_command_t *found =
      std::lower_bound(begin, end, number, [](const soc_command_t &c, uint64_t n) { return c.number < n; });
  return found != end && found->number == number ? found : nullptr;
}

namespace soc {
namespace {

constexpr uint32_t kNoTrack = UINT32_MAX;

}  // namespace

void recorder::add_core(const watched_core &core) {
  for (const unsigned pipe : core.pipes) {
    soc_track_t track = {};
    std::snprintf(track.core, sizeof track.core, "%s", core.name.c_str());
    track.pipe = pipe;
    tracks_.push_back(track);
    cores_.push_back(core.number);
    kept_.emplace_back();
  }
}

void recorder::launched(unsigned firmware) {
  firmware_ = firmware;
  for (track &t : kept_) {
    if (!whole_) {
      t.first += t.commands.size();
      t.commands.clear();
    }
  }
}

// Waits are over when their pipe comes to them, other commands some time later: they do not come in order.
void recorder::done(const soc_command_t &command) {
  track &t = kept_[command.track];
  const size_t index = command.number - t.first;
  if (index >= t.commands.size()) {
    soc_command_t none{};
    none.track = kNoTrack;
    t.commands.resize(index + 1, none);
  }
  t.commands[index] = command;
  t.commands[index].firmware = firmware_;
}

void recorder::bandwidth(unsigned die, const die_load &load, uint64_t cycle) {
  if (!whole_) {
    return;
  }
  for (auto last = rates_.rbegin(); last != rates_.rend() && last->cycle == cycle; ++last) {
    if (last->die == die) {
      *last = {die, cycle, load.hbm, load.l2};
      return;
    }
  }
  rates_.push_back({die, cycle, load.hbm, load.l2});
}

// Those that have changed.
void recorder::links(const std::vector<link_load> &loads, uint64_t cycle) {
  link_loads_.resize(loads.size());
  for (unsigned die = 0; whole_ && die < loads.size(); ++die) {
    link_load &last = link_loads_[die];
    if (loads[die].out != last.out || loads[die].in != last.in) {
      last = loads[die];
      link_rates_.push_back({die, cycle, last});
    }
  }
}

const soc_record_t &recorder::record() {
  if (!first_.empty()) {
    return record_;
  }
  size_t most = 0;
  for (const track &t : kept_) {
    most += t.commands.size();
  }
  commands_.reserve(most);
  first_.push_back(0);
  for (track &t : kept_) {
    std::copy_if(t.commands.begin(), t.commands.end(), std::back_inserter(commands_),
                 [](const soc_command_t &c) { return c.track != kNoTrack; });
    first_.push_back(commands_.size());
    t = {};
  }
  record_ = {tracks_.data(), tracks_.size(), commands_.data(), commands_.size(), first_.data()};
  return record_;
}

}  // namespace soc
