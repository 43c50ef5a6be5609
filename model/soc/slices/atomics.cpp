// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/atomics.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "num/num_gm.h"
#include "soc/cores/pipe.h"

namespace soc {

// --- the slices, without their data -----------------------------------------------------------

// A slice's queue; it goes on when somebody looks.
struct atomics::timed_slice {
  timed_slice(const slice_clock &clock, uint32_t stages) : queue(clock, stages) {}
  slice_queue queue;
  std::vector<slice_run> runs;           // of the command being sent
};

// An atomic command on its way through several slices.
class atomics::transfer : public task {
 public:
  transfer(atomics &all, pipe &who, uint64_t number, std::vector<unsigned> slices)
      : all_(all), who_(who), number_(number), slices_(std::move(slices)) {}

  void answered(unsigned slice, uint64_t cycle) {
    slices_.erase(std::find(slices_.begin(), slices_.end(), slice));
    last_ = std::max(last_, cycle);
  }

  // Done, or looks again when the last slice can have answered at the earliest.
  void run(uint64_t now) override {
    for (size_t i = slices_.size(); i-- > 0;) {
      all_.advance_slice(slices_[i], now);   // may take this one out
    }
    if (slices_.empty()) {
      who_.answered(number_, last_);
      delete this;
      return;
    }
    uint64_t next = 0;
    for (const unsigned slice : slices_) {
      next = std::max(next, all_.timed_[slice].queue.next());
    }
    all_.sim_.events->at(next, *this);
  }

 private:
  atomics &all_;
  pipe &who_;
  uint64_t number_;
  std::vector<unsigned> slices_;             // that have not answered
  uint64_t last_ = 0;
};

void atomics::advance_slice(unsigned slice, uint64_t now) {
  slice_queue &queue = timed_[slice].queue;
  for (uint64_t end = queue.next(); end <= now; end = queue.next()) {
    finished_.clear();
    queue.advance(end, finished_);
    for (const uint64_t token : finished_) {
      reinterpret_cast<transfer *>(token)->answered(slice, end);
    }
  }
}

// --- the machine's side -----------------------------------------------------------------------

atomics::atomics(simulation &sim, global_memory &gm)
    : sim_(sim), gm_(gm), guards_(sim.config.gm.slices) {
  const slice_clock clock(sim.config);
  if (sim.options.gm == SOC_GM_RTL && sim.config.gm.slice_stages != GM_ALU_STAGES) {
    throw std::runtime_error("gm.slice_stages: expected " + std::to_string(GM_ALU_STAGES) +
                             ", as the Verilog has, or --gm c; got " +
                             std::to_string(sim.config.gm.slice_stages));
  }
  for (unsigned i = 0; i < sim.config.gm.slices; ++i) {
    if (sim.options.gm == SOC_GM_RTL) {
      const std::string name = "slice" + std::to_string(i);
      rtl_.push_back(std::make_unique<gm_slice>(
          name.c_str(), sim, i, clock,
          make_gm_unit_rtl(name, gm.base(), sim.trace.get(), sim.options.building)));
    } else {
      timed_.emplace_back(clock, sim.config.gm.slice_stages);
    }
  }
}

atomics::~atomics() = default;

void atomics::send(pipe &who, const core_memory_t &memory, const command_t &command,
                   uint64_t number, uint64_t duration, uint64_t now) {
  const atomic_rows rows(command);
  if (rtl_.empty()) {
    return send_c(rows, memory, who, number, duration, now);
  }
  auto transfer = std::make_shared<gm_transfer>();
  transfer->done = [&who, number](uint64_t cycle) { who.answered(number, cycle); };
  send_rtl(rows, memory, transfer, duration, now);
}

// Beat i of n arrives one cycle after now, plus i/n of the duration.
void atomics::send_rtl(const atomic_rows &rows, const core_memory_t &memory,
                       const std::shared_ptr<gm_transfer> &transfer, uint64_t duration,
                       uint64_t now) {
  const uint8_t *operands = memory.base[rows.space] + rows.from;
  std::vector<request> requests;
  for (uint64_t row = 0; row < rows.rows; ++row) {
    if (!rows.sent(memory, row)) {
      continue;
    }
    const uint64_t begin = rows.gm + row * rows.gm_pitch;
    const uint8_t *from = operands + row * rows.from_pitch;
    for_each_request(
        rows.op, begin, begin + rows.row_bytes, sim_.config.gm.slice_bytes, rtl_.size(),
        [&](unsigned slice, uint64_t offset, uint64_t stop) {
          gm_request_t r = {};
          const uint64_t first = offset / kBeatBytes;
          const uint64_t last = (stop - 1) / kBeatBytes;
          const uint64_t lane = (std::max(offset, last * kBeatBytes) - last * kBeatBytes) / 4;
          const uint64_t lanes = (stop - last * kBeatBytes) / 4 - lane;
          r.op = rows.op;
          r.addr = static_cast<uint32_t>(first);
          r.len = static_cast<uint32_t>(last - first + 1);
          r.mask = static_cast<uint32_t>(((1ull << lanes) - 1) << lane);
          r.tag = static_cast<uint32_t>(requests.size() & 0xFF);
          if (rows.op == GM_RESCALE) {
            std::memcpy(&r.data[0], from, 4);
          } else {
            std::memcpy(&r.data[lane], from + (offset - begin), lanes * 4);
          }
          requests.emplace_back(slice, r);
        });
  }
  std::vector<std::vector<gm_slice::beat>> by_slice(rtl_.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    by_slice[requests[i].first].push_back(
        {now + 1 + i * duration / requests.size(), requests[i].second});
  }
  for (size_t slice = 0; slice < by_slice.size(); ++slice) {
    if (!by_slice[slice].empty()) {
      rtl_[slice]->add(transfer, std::move(by_slice[slice]));
    }
  }
}

// Requests that continue a run.
static bool follows(const slice_run &run, const slice_run &more) {
  return run.first + run.count == more.first && run.beats == more.beats &&
         run.address + run.count * run.beats == more.address;
}

// The same requests in the same cycles, but only their number and the cycles they take.
void atomics::send_c(const atomic_rows &rows, const core_memory_t &memory, pipe &who,
                     uint64_t number, uint64_t duration, uint64_t now) {
  uint64_t count = 0;
  touched_.clear();
  for (uint64_t row = 0; row < rows.rows; ++row) {
    if (!rows.sent(memory, row)) {
      continue;
    }
    const uint64_t begin = rows.gm + row * rows.gm_pitch;
    for_each_run(rows.op, begin, begin + rows.row_bytes, sim_.config.gm.slice_bytes, timed_.size(),
                 [&](unsigned slice, uint32_t address, uint32_t requests, uint32_t beats) {
                   std::vector<slice_run> &runs = timed_[slice].runs;
                   if (runs.empty()) {
                     touched_.push_back(slice);
                   }
                   const slice_run run = {count, requests, beats, address};
                   if (!runs.empty() && follows(runs.back(), run)) {
                     runs.back().count += requests;
                   } else {
                     runs.push_back(run);
                   }
                   count += requests;
                 });
  }
  auto *to = new transfer(*this, who, number, touched_);
  for (const unsigned slice : touched_) {
    advance_slice(slice, now);
    timed_[slice].queue.add(now, reinterpret_cast<uint64_t>(to), now + 1, duration, count,
                             timed_[slice].runs);
    timed_[slice].runs.clear();
  }
  to->run(now);
}

void atomics::apply(const core_memory_t &memory, const command_t &command) {
  const atomic_rows rows(command);
  const uint64_t slice_bytes = sim_.config.gm.slice_bytes;
  uint32_t old[16384];
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const auto *from = reinterpret_cast<const uint32_t *>(memory.base[rows.space] + rows.from +
                                                          row * rows.from_pitch);
    uint64_t offset = rows.gm + row * rows.gm_pitch;
    const uint64_t end = offset + rows.row_bytes;
    while (offset < end) {
      const uint64_t stop = std::min({end, (offset / slice_bytes + 1) * slice_bytes,
                                      offset + sizeof old});
      const size_t words = (stop - offset) / 4;
      auto *words_at = reinterpret_cast<uint32_t *>(gm_.base() + offset);
      apply_words(rows.op, words_at, from, words, guards_[offset / slice_bytes % guards_.size()],
                  old);
      from += rows.op == GM_RESCALE ? 0 : words;
      offset = stop;
    }
  }
}

// Guards are rare: only then the words are looked at one by one.
void atomics::apply_words(unsigned op, uint32_t *memory, const uint32_t *operands, size_t words,
                          guard_count &count, uint32_t *old) {
  const auto gm_op = static_cast<num_gm_op>(op);
  uint32_t flags = 0;
  const bool guarded = op == GM_ADD_S32 || op == GM_RESCALE;
  if (guarded) {
    std::memcpy(old, memory, words * 4);
  }
  num_gm_apply_n(gm_op, memory, operands, words, &flags);
  if (flags == 0) {
    return;
  }
  count.flags |= flags;
  for (size_t i = 0; i < words; ++i) {
    uint32_t lane = 0;
    num_gm_apply(gm_op, old[i], operands[op == GM_RESCALE ? 0 : i], &lane);
    count.lanes += lane != 0;
  }
}

void atomics::report(soc_result_t &result) const {
  for (size_t i = 0; i < guards_.size(); ++i) {
    const uint32_t flags = guards_[i].flags;
    const gm_status status =
        rtl_.empty() ? gm_status{(flags & NUM_GM_GUARD_ZERO) != 0, (flags & NUM_GM_GUARD_SPECIAL) != 0,
                                 (flags & NUM_GM_GUARD_UNDERFLOW) != 0,
                                 (flags & NUM_GM_GUARD_OVERFLOW) != 0, guards_[i].lanes}
                     : rtl_[i]->status();
    result.guard_zero += status.zero;
    result.guard_special += status.special;
    result.guard_underflow += status.underflow;
    result.guard_overflow += status.overflow;
    result.guard_lanes += status.guard_lanes;
  }
}

}  // namespace soc
