// SPDX-License-Identifier: Apache-2.0
#include "soc/races/meetings.h"

#include <algorithm>

namespace soc {
namespace {

void raise(uint32_t *to, const uint32_t *from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = std::max(to[i], from[i]);
  }
}

}  // namespace

unsigned meetings::series_of(core_kind_t kind, unsigned pipe) {
  unsigned before = 0;
  for (unsigned k = 0; k <= kind; ++k) {
    for (unsigned p = 0; p < (k == kind ? pipe : unsigned{PIPE_COUNT}); ++p) {
      before += core_has_pipe(static_cast<core_kind_t>(k), p);
    }
  }
  return before;
}

void meetings::arrive(unsigned series, unsigned domain, const vector_clock &clock) {
  meeting &next = next_[series];
  next.seen.resize(size_t{domains_} * kAgents);
  raise(&next.seen[size_t{domain} * kAgents], clock.seen.data(), kAgents);
  for (size_t i = 0; clock.told != nullptr && i < clock.told->size(); ++i) {
    const domain_seen &other = (*clock.told)[i];
    raise(&next.seen[size_t{other.domain} * kAgents], other.seen.data(), kAgents);
  }
  raise(next.met.data(), clock.met.data(), kSeries);
}

// The last meeting of a series that somebody knows of; null: it is none, or before the last forget.
const meetings::meeting *meetings::known(unsigned series, const counts &met) const {
  return met[series] <= forgotten_[series] ? nullptr : &past_[series][met[series] - forgotten_[series] - 1];
}

void meetings::complete(unsigned series) {
  meeting &now = next_[series];
  for (unsigned s = 0; s < kSeries; ++s) {
    if (const meeting *before = known(s, now.met)) {
      raise(now.seen.data(), before->seen.data(), now.seen.size());
    }
  }
  now.met[series] = static_cast<uint32_t>(forgotten_[series] + past_[series].size() + 1);
  past_[series].push_back(std::move(now));
  now = {};
}

vector_clock meetings::for_domain(unsigned series, unsigned domain) const {
  const meeting &last = past_[series].back();
  vector_clock clock;
  std::copy_n(&last.seen[size_t{domain} * kAgents], kAgents, clock.seen.begin());
  clock.met = last.met;
  return clock;
}

uint32_t meetings::seen(const vector_clock &by, unsigned domain, unsigned agent) const {
  const domain_seen *told = seen_of(by.told, domain);
  uint32_t time = told == nullptr ? 0 : told->seen[agent];
  for (unsigned s = 0; s < kSeries; ++s) {
    if (const meeting *m = known(s, by.met)) {
      time = std::max(time, m->seen[size_t{domain} * kAgents + agent]);
    }
  }
  return time;
}

all_seen meetings::seen_by(const vector_clock &clock, unsigned domain) const {
  const domain_seen own = {domain, clock.seen};
  all_seen all = join_seen(std::make_shared<std::vector<domain_seen>>(1, own), clock.told);
  for (unsigned s = 0; s < kSeries; ++s) {
    if (const meeting *m = known(s, clock.met)) {
      all = join_seen(all, m->all());
    }
  }
  return all;
}

// The domains that came, or that those who came knew of.
all_seen meetings::meeting::all() const {
  auto all = std::make_shared<std::vector<domain_seen>>();
  for (unsigned d = 0; d * kAgents < seen.size(); ++d) {
    domain_seen one = {d, {}};
    std::copy_n(&seen[size_t{d} * kAgents], kAgents, one.seen.begin());
    if (std::any_of(one.seen.begin(), one.seen.end(), [](uint32_t time) { return time > 0; })) {
      all->push_back(one);
    }
  }
  return all;
}

void meetings::forget() {
  for (unsigned s = 0; s < kSeries; ++s) {
    forgotten_[s] += static_cast<uint32_t>(past_[s].size());
    past_[s].clear();
    next_[s] = {};
  }
}

}  // namespace soc
