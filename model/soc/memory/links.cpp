// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/links.h"

#include <algorithm>
#include <cstdlib>

namespace soc {

links::links(simulation &sim, const system_t &system) : sim_(sim), system_(system), ports_(system.levels) {
  for (size_t l = 0; l < system.levels; ++l) {
    const double capacity = config_bytes_per_cycle(&sim.config, system.level[l].gbps);
    for (unsigned i = 0; system.level[l].topology == SYSTEM_SWITCHED && i < 2 * system.dies; ++i) {
      ports_[l].push_back(shares_.add(capacity));
    }
  }
}

// A link of a mesh; or the ports of both dies on this and the switched levels before.
const std::vector<unsigned> &links::path(unsigned from, unsigned to) {
  const auto found = paths_.find({from, to});
  if (found != paths_.end()) {
    return found->second;
  }
  std::vector<unsigned> &path = paths_[{from, to}];
  const size_t last = system_level_of(&system_, from, to);
  if (system_.level[last].topology == SYSTEM_MESH) {
    path.push_back(shares_.add(config_bytes_per_cycle(&sim_.config, system_.level[last].gbps)));
  }
  for (size_t l = 0; system_.level[last].topology == SYSTEM_SWITCHED && l <= last; ++l) {
    if (!ports_[l].empty()) {
      path.push_back(ports_[l][2 * from]);
      path.push_back(ports_[l][2 * to + 1]);
    }
  }
  return path;
}

void links::begin(mover &who, unsigned from, unsigned to, uint64_t bytes, double limit, uint64_t now) {
  books &pair = books_[{from, to}];
  pair.bytes += bytes;
  ++pair.messages;
  const uint64_t first = now + config_cycles(&sim_.config, level(from, to).message_us);
  waiting_.push_back({first, from, to, bytes, limit, &who});
  if (first < planned_) {
    planned_ = first;
    sim_.clock.at(first, *this);
  }
}

// Ends, then begins; one sharing for all of a cycle.
void links::run(uint64_t now) {
  if (now >= planned_) {  // or this is of a time that was thought of before an earlier one
    planned_ = UINT64_MAX;
  }
  finished_.clear();
  while (shares_.next() <= now) {
    shares_.advance(shares_.next(), finished_);
  }
  const auto due =
      std::stable_partition(waiting_.begin(), waiting_.end(), [now](const waiting &w) { return w.cycle > now; });
  for (auto w = due; w != waiting_.end(); ++w) {
    shares_.begin(now, path(w->from, w->to), w->bytes, w->limit, reinterpret_cast<uint64_t>(w->who));
  }
  waiting_.erase(due, waiting_.end());
  shares_.share();
  for (const uint64_t token : finished_) {
    reinterpret_cast<mover *>(token)->moved(now);
  }
  tell(now);
  plan(now);
}

void links::plan(uint64_t now) {
  uint64_t next = shares_.next();
  for (const waiting &w : waiting_) {
    next = std::min(next, w.cycle);
  }
  if (next < planned_) {
    planned_ = std::max(next, now);
    sim_.clock.at(planned_, *this);
  }
}

// What each die sends and gets.
void links::tell(uint64_t now) const {
  if (!sim_.watched()) {
    return;
  }
  std::vector<link_load> loads(system_.dies);
  for (const auto &[ends, path] : paths_) {
    const double rate = shares_.rate(path);
    loads[ends.first].out += rate;
    loads[ends.second].in += rate;
  }
  for (watcher *w : sim_.watchers) {
    w->links(loads, now);
  }
}

void links::report(soc_result_t &result) const {
  result.links = static_cast<soc_link_t *>(std::calloc(books_.size() + 1, sizeof *result.links));
  for (const auto &[ends, pair] : books_) {
    if (result.links != nullptr) {
      const size_t level = system_level_of(&system_, ends.first, ends.second);
      result.links[result.link_count++] = {ends.first, ends.second, system_.level[level].name, pair.bytes,
                                           pair.messages};
    }
  }
}

}  // namespace soc
