// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/gm_slice.h"

#include <algorithm>

namespace soc {

static uint64_t beats_of(const gm_request_t &request) {
  return request.op == GM_RESCALE ? std::max(request.len, 1u) : 1;
}

// From the tick that takes a request to the one that answers it.
static uint64_t latency(const gm_request_t &request) { return beats_of(request) + GM_FLIGHT(GM_ALU_STAGES); }

void gm_slice::add(uint64_t token, std::vector<beat> beats) {
  uint64_t work = 0;
  for (const beat &b : beats) {
    work += beats_of(b.request);
  }
  streams_.push_back({token, beats.front().arrival, work, 0, std::move(beats)});
}

// The stream whose next beat has waited longest; on a tie the one that came first.
gm_slice::stream *gm_slice::choose() {
  stream *best = nullptr;
  for (stream &s : streams_) {
    if (best == nullptr || s.arrival < best->arrival) {
      best = &s;
    }
  }
  return best;
}

// The unit's clock stands while there is nothing in it and nothing to take.
uint64_t gm_slice::next_tick() const {
  if (!owed_.empty()) {
    return from_;
  }
  uint64_t arrival = UINT64_MAX;
  for (const stream &s : streams_) {
    arrival = std::min(arrival, s.arrival);
  }
  return arrival == UINT64_MAX ? UINT64_MAX : std::max(from_, clock_.tick(arrival));
}

uint64_t gm_slice::next() const {
  const uint64_t tick = next_tick();
  return tick == UINT64_MAX ? UINT64_MAX : clock_.cycle(tick);
}

uint64_t gm_slice::behind(uint64_t now) const {
  const uint64_t first = next_tick();
  const uint64_t end = clock_.tick(now + 1);
  return first < end ? end - first : 0;
}

uint64_t gm_slice::earliest(uint64_t token) const {
  for (const stream &s : streams_) {
    if (s.token == token) {
      const beat &last = s.beats.back();
      const uint64_t all = std::max(from_, clock_.tick(s.arrival)) + s.work - beats_of(last.request);
      return clock_.cycle(std::max(all, clock_.tick(last.arrival)) + latency(last.request));
    }
  }
  for (size_t i = 0; i < owed_.size(); ++i) {
    if (owed_[i].last && owed_[i].token == token) {
      return clock_.cycle(std::max(owed_[i].earliest, from_ + i));
    }
  }
  return 0;  // answered
}

void gm_slice::advance(uint64_t now, std::vector<answer> &answers) {
  const uint64_t end = clock_.tick(now + 1);
  for (uint64_t t = next_tick(); t < end; t = next_tick()) {
    tick(t, answers);
  }
  from_ = std::max(from_, end);
}

void gm_slice::tick(uint64_t tick, std::vector<answer> &answers) {
  stream *chosen = choose();
  const uint64_t cycle = clock_.cycle(tick);
  const bool offered = chosen != nullptr && chosen->arrival <= cycle;
  bool answered = false;
  const bool taken = unit_->tick(offered ? &chosen->beats[chosen->next].request : nullptr, answered);
  from_ = tick + 1;
  ++ticks_;
  if (taken) {
    took(*chosen, tick);
  }
  if (answered) {
    const owed first = owed_.front();
    owed_.pop_front();
    early_ = early_ || tick < first.earliest;
    if (first.last) {
      answers.push_back({cycle, first.token});
    }
  }
}

void gm_slice::took(stream &from, uint64_t tick) {
  const gm_request_t &request = from.beats[from.next].request;
  const bool last = ++from.next == from.beats.size();
  owed_.push_back({from.token, tick + latency(request), last});
  if (taken_) {
    taken_(clock_.cycle(tick));
  }
  if (last) {
    streams_.erase(streams_.begin() + (&from - streams_.data()));
  } else {
    from.work -= beats_of(request);
    from.arrival = from.beats[from.next].arrival;
  }
}

}  // namespace soc
