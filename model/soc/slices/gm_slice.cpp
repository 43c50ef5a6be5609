// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/gm_slice.h"

#include <algorithm>

namespace soc {

gm_slice::gm_slice(sc_core::sc_module_name name, simulation &sim, unsigned number,
                   const slice_clock &clock, std::unique_ptr<gm_unit> unit)
    : sc_module(name), sim_(sim), number_(number), clock_(clock), unit_(std::move(unit)) {
  SC_HAS_PROCESS(gm_slice);
  SC_METHOD(tick);
  dont_initialize();
  sensitive << wake_;
  for (watcher *w : sim_.watchers) {
    w->add_slice(number_);
  }
}

void gm_slice::add(std::shared_ptr<gm_transfer> transfer, std::vector<beat> beats) {
  const uint64_t first = edge(std::max(beats.front().arrival, now()));
  transfer->pending += beats.size();
  for (watcher *w : sim_.watchers) {
    w->beats_wait(number_, static_cast<int64_t>(beats.size()), now());
  }
  streams_.push_back({std::move(transfer), std::move(beats)});
  wake_.notify(cycles(first - now()));
}

// The stream whose next beat has waited longest; on a tie the one that came first.
gm_slice::stream *gm_slice::choose() {
  stream *best = nullptr;
  for (stream &s : streams_) {
    if (best == nullptr || s.beats[s.next].arrival < best->beats[best->next].arrival) {
      best = &s;
    }
  }
  return best;
}

void gm_slice::tick() {
  stream *chosen = choose();
  const bool offered = chosen != nullptr && chosen->beats[chosen->next].arrival <= now();
  bool answered = false;
  bool taken;
  {
    stopwatch watch(sim_.result.rtl_seconds);
    taken = unit_->tick(offered ? &chosen->beats[chosen->next].request : nullptr, answered);
    ++sim_.result.rtl_cycles;
  }
  if (taken) {
    for (watcher *w : sim_.watchers) {
      w->beats_wait(number_, -1, now());
    }
    unanswered_.push_back(chosen->transfer);
    if (++chosen->next == chosen->beats.size()) {
      const auto gone = [](const stream &s) { return s.next == s.beats.size(); };
      streams_.erase(std::find_if(streams_.begin(), streams_.end(), gone));
    }
  }
  if (answered) {
    gm_transfer &transfer = *unanswered_.front();
    if (--transfer.pending == 0) {
      transfer.done(now());
    }
    unanswered_.pop_front();
  }
  if (!unanswered_.empty()) {
    next_trigger(cycles(edge(now() + 1) - now()));
  } else if (!streams_.empty()) {
    const stream *next = choose();
    const uint64_t arrival = next->beats[next->next].arrival;
    next_trigger(cycles(edge(std::max(arrival, now() + 1)) - now()), wake_);
  }
}

}  // namespace soc
