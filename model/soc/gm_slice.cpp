// SPDX-License-Identifier: Apache-2.0
#include "soc/gm_slice.h"

#include <algorithm>
#include <cstring>

namespace soc {

gm_slice::gm_slice(sc_core::sc_module_name name, simulation &sim, std::unique_ptr<gm_unit> unit)
    : sc_module(name), sim_(sim), unit_(std::move(unit)) {
  SC_HAS_PROCESS(gm_slice);
  SC_METHOD(tick);
  dont_initialize();
  sensitive << wake_;
}

void gm_slice::add(std::shared_ptr<gm_transfer> transfer, std::vector<beat> beats) {
  const uint64_t first = beats.front().arrival;
  transfer->pending += beats.size();
  streams_.push_back({std::move(transfer), std::move(beats)});
  wake_.notify(cycles(first - std::min(first, now())));
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
    sim_.result.rtl_cycles += sim_.options.gm == SOC_GM_RTL;
  }
  if (taken) {
    unanswered_.push_back(chosen->transfer);
    if (++chosen->next == chosen->beats.size()) {
      const auto gone = [](const stream &s) { return s.next == s.beats.size(); };
      streams_.erase(std::find_if(streams_.begin(), streams_.end(), gone));
    }
  }
  if (answered) {
    gm_transfer &transfer = *unanswered_.front();
    if (--transfer.pending == 0) {
      transfer.done.notify();
    }
    unanswered_.pop_front();
  }
  if (!unanswered_.empty()) {
    next_trigger(cycles(1));
  } else if (!streams_.empty()) {
    const stream *next = choose();
    const uint64_t arrival = next->beats[next->next].arrival;
    next_trigger(cycles(std::max(arrival, now() + 1) - now()), wake_);
  }
}

namespace {

void read_beat(void *memory, uint32_t beat, uint32_t out[GM_LANES]) {
  std::memcpy(out, static_cast<uint8_t *>(memory) + uint64_t{beat} * GM_LANES * 4, GM_LANES * 4);
}

void write_beat(void *memory, uint32_t beat, uint32_t mask, const uint32_t data[GM_LANES]) {
  uint8_t *target = static_cast<uint8_t *>(memory) + uint64_t{beat} * GM_LANES * 4;
  for (unsigned lane = 0; lane < GM_LANES; ++lane) {
    if ((mask >> lane) & 1u) {
      std::memcpy(target + lane * 4, &data[lane], 4);
    }
  }
}

class gm_unit_c : public gm_unit {
 public:
  explicit gm_unit_c(uint8_t *memory) : memory_{memory, read_beat, write_beat} {
    gm_atomic_reset(&unit_);
  }
  bool tick(const gm_request_t *request, bool &answered) override {
    const bool taken = request != nullptr && gm_atomic_ready(&unit_, true);
    uint32_t tag;
    gm_atomic_tick(&unit_, request, true, &memory_, &answered, &tag);
    return taken;
  }
  gm_status status() const override;

 private:
  gm_atomic_t unit_;
  gm_atomic_mem_t memory_;
};

gm_status gm_unit_c::status() const {
  const uint32_t guards = unit_.guards;
  return {(guards & NUM_GM_GUARD_ZERO) != 0, (guards & NUM_GM_GUARD_SPECIAL) != 0,
          (guards & NUM_GM_GUARD_UNDERFLOW) != 0, (guards & NUM_GM_GUARD_OVERFLOW) != 0,
          unit_.cnt_guards};
}

}  // namespace

std::unique_ptr<gm_unit> make_gm_unit_c(uint8_t *memory) {
  return std::make_unique<gm_unit_c>(memory);
}

}  // namespace soc
