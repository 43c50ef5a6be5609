// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/atomics.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "num/num_gm.h"

namespace soc {

// --- the slices, without their data -----------------------------------------------------------

// A slice's queue; it goes on when somebody looks.
struct atomics::timed_slice {
  timed_slice(const slice_clock &clock, uint32_t stages) : queue(clock, stages) {}
  slice_queue queue;
  std::vector<slice_run> runs;  // of the command being sent
};

// An atomic command on its way through several slices.
class atomics::transfer : public task {
 public:
  explicit transfer(atomics &all) : all_(all) {}

  void begin(mover &who, uint64_t number) {
    who_ = &who;
    number_ = number;
    slices_ = all_.touched_;
    last_ = 0;
  }

  void answered(unsigned slice, uint64_t cycle) {
    slices_.erase(std::find(slices_.begin(), slices_.end(), slice));
    last_ = std::max(last_, cycle);
  }

  // Told that all have answered; may begin anew.
  bool end() {
    if (!slices_.empty()) {
      return false;
    }
    who_->answered(number_, last_);
    all_.done_.push_back(this);
    return true;
  }

  // Done, or looks again when the last slice can have answered at the earliest.
  void run(uint64_t now) override {
    all_.reached_ = slices_;  // of which some may be taken out
    all_.reach(all_.reached_, now);
    if (!end()) {
      look_again();
    }
  }

  void look_again() {
    uint64_t next = 0;
    for (const unsigned slice : slices_) {
      next = std::max(next, all_.earliest(slice, reinterpret_cast<uint64_t>(this)));
    }
    all_.sim_.clock.at(next, *this);
  }

 private:
  atomics &all_;
  mover *who_ = nullptr;
  uint64_t number_ = 0;
  std::vector<unsigned> slices_;  // that have not answered
  uint64_t last_ = 0;
};

// One to the slices that are touched.
atomics::transfer *atomics::begin(mover &who, uint64_t number) {
  if (done_.empty()) {
    transfers_.push_back(std::make_unique<transfer>(*this));
    done_.push_back(transfers_.back().get());
  }
  transfer *next = done_.back();
  done_.pop_back();
  next->begin(who, number);
  return next;
}

void atomics::advance_slice(unsigned slice, uint64_t now) {
  finished_.clear();
  timed_[slice].queue.advance(now, finished_);
  for (const slice_queue::answer &a : finished_) {
    reinterpret_cast<transfer *>(a.token)->answered(slice, a.cycle);
  }
}

// --- the slices in the Verilog ------------------------------------------------------------------

// A slice that goes cycle by cycle with the machine, while it has work.
class atomics::stepper : public task {
 public:
  stepper(atomics &all, unsigned slice) : all_(all), slice_(slice) {}

  void look() {
    const uint64_t next = all_.rtl_.next(slice_);
    if (next < due_) {
      due_ = next;
      all_.sim_.clock.at(next, *this);
    }
  }

  void run(uint64_t now) override {
    if (now >= due_) {  // or this is of a time that was thought of before an earlier one
      due_ = UINT64_MAX;
    }
    all_.run_rtl({slice_}, now);
    for (const gm_slices::answer &a : all_.answers_) {
      auto *of = reinterpret_cast<transfer *>(a.token);
      of->answered(slice_, a.cycle);
      of->end();
    }
    look();
  }

 private:
  atomics &all_;
  unsigned slice_;
  uint64_t due_ = UINT64_MAX;
};

// Leaves their answers in answers_.
void atomics::run_rtl(const std::vector<unsigned> &slices, uint64_t now) {
  answers_.clear();
  const std::optional<unsigned> early = rtl_.reach(slices, now, answers_);
  if (early) {
    sim_.stop(SOC_STOPPED, "slice" + std::to_string(first_ + *early) + " of global memory answered before its time");
  }
}

// Has slices work up to now, and passes their answers on.
void atomics::reach(const std::vector<unsigned> &slices, uint64_t now) {
  if (!is_rtl()) {
    for (const unsigned slice : slices) {
      advance_slice(slice, now);
    }
    return;
  }
  run_rtl(slices, now);
  for (const gm_slices::answer &a : answers_) {
    reinterpret_cast<transfer *>(a.token)->answered(a.slice, a.cycle);
  }
}

uint64_t atomics::earliest(unsigned slice, uint64_t token) {
  return is_rtl() ? rtl_.earliest(slice, token) : timed_[slice].queue.earliest(token);
}

// --- the machine's side -----------------------------------------------------------------------

// True if somebody looks into memory while it changes, or at the slices' signals, and so has to see each cycle.
static bool is_watched(const simulation &sim) {
  return sim.trace != nullptr || sim.options.debug.gdb_count > 0 || sim.options.debug.show_count > 0;
}

atomics::atomics(simulation &sim, global_memory &gm, unsigned die, unsigned dies)
    : sim_(sim),
      base_(gm.base() + die * gm.window()),
      origin_(die * gm.window()),
      first_(die * (sim.config.gm.slices / dies)),
      stepped_(is_watched(sim)),
      rtl_(stepped_ || dies > 1 ? 1 : std::max(1u, sim.options.threads)),
      guards_(sim.config.gm.slices / dies) {
  const slice_clock clock(sim.config);
  if (sim.options.gm != SOC_GM_C && sim.config.gm.slice_stages != GM_ALU_STAGES) {
    throw std::runtime_error("gm.slice_stages: expected " + std::to_string(GM_ALU_STAGES) +
                             ", as the Verilog has, or --gm c; got " + std::to_string(sim.config.gm.slice_stages));
  }
  for (unsigned i = 0; i < guards_.size(); ++i) {
    if (sim.options.gm != SOC_GM_C) {
      add_rtl_slice(clock);
    } else {
      timed_.emplace_back(clock, sim.config.gm.slice_stages);
    }
  }
}

void atomics::add_rtl_slice(const slice_clock &clock) {
  const auto slice = static_cast<unsigned>(rtl_.size());
  const std::string name = "slice" + std::to_string(first_ + slice);
  gm_slice::taken_fn taken;
  if (stepped_ && sim_.watched()) {
    taken = [this, slice](uint64_t cycle) {
      for (watcher *w : sim_.watchers) {
        w->beats_wait(first_ + slice, -1, cycle);
      }
    };
  }
  rtl_.make(clock,
            make_gm_unit_rtl(name, base_, sim_.options.gm == SOC_GM_RTL_TYPES, sim_.clock, sim_.trace.get(),
                             sim_.options.building),
            std::move(taken));
  beats_.emplace_back();
  if (stepped_) {
    steppers_.push_back(std::make_unique<stepper>(*this, slice));
  }
  for (watcher *w : sim_.watchers) {
    w->add_slice(first_ + slice);
  }
}

atomics::~atomics() = default;

void atomics::send(mover &who, const core_memory_t &memory, const command_t &command, uint64_t number, uint64_t travel,
                   uint64_t duration, uint64_t now) {
  const atomic_rows rows(command, origin_);
  const uint64_t first = now + 1 + travel;
  if (!is_rtl()) {
    send_c(rows, memory, who, number, first, duration, now);
  } else {
    send_rtl(rows, memory, command, who, number, first, duration, now);
  }
}

// Leaves the command's requests in beats_, with their number for an arrival, and says how many these are.
uint64_t atomics::gather(const atomic_rows &rows, const core_memory_t &memory, const command_t &command) {
  uint64_t count = 0;
  room_.resize(rows.row_bytes / 4);
  touched_.clear();
  for (uint64_t row = 0; row < rows.rows; ++row) {
    if (!rows.sent(memory, row)) {
      continue;
    }
    const uint64_t begin = rows.gm + row * rows.gm_pitch;
    const uint32_t *from = core_atomic_row(&memory, &command, row, room_.data());
    for_each_request(rows.op, begin, begin + rows.row_bytes, sim_.config.gm.slice_bytes, rtl_.size(),
                     [&](unsigned slice, uint64_t offset, uint64_t stop) {
                       if (beats_[slice].empty()) {
                         touched_.push_back(slice);
                       }
                       beats_[slice].push_back({count, {}});
                       gm_request_t &r = beats_[slice].back().request;
                       const uint64_t first = offset / kBeatBytes;
                       const uint64_t last = (stop - 1) / kBeatBytes;
                       const uint64_t lane = (std::max(offset, last * kBeatBytes) - last * kBeatBytes) / 4;
                       const uint64_t lanes = (stop - last * kBeatBytes) / 4 - lane;
                       r.op = rows.op;
                       r.addr = static_cast<uint32_t>(first);
                       r.len = static_cast<uint32_t>(last - first + 1);
                       r.mask = static_cast<uint32_t>(((1ull << lanes) - 1) << lane);
                       r.tag = static_cast<uint32_t>(count & 0xFF);
                       if (rows.op == GM_RESCALE) {
                         std::memcpy(&r.data[0], from, 4);
                       } else {
                         std::memcpy(&r.data[lane], from + (offset - begin) / 4, lanes * 4);
                       }
                       ++count;
                     });
  }
  return count;
}

// Beat i of n arrives at the first cycle, plus i/n of the duration.
void atomics::send_rtl(const atomic_rows &rows, const core_memory_t &memory, const command_t &command, mover &who,
                       uint64_t number, uint64_t first, uint64_t duration, uint64_t now) {
  const uint64_t count = gather(rows, memory, command);
  transfer *to = begin(who, number);
  for (const unsigned slice : touched_) {
    std::vector<gm_slice::beat> &beats = beats_[slice];
    for (gm_slice::beat &b : beats) {
      b.arrival = first + b.arrival * duration / count;
    }
    for (watcher *w : sim_.watchers) {
      w->beats_wait(first_ + slice, static_cast<int64_t>(beats.size()), now);
    }
    rtl_.add(slice, reinterpret_cast<uint64_t>(to), std::move(beats), now);
    beats.clear();
    if (stepped_) {
      steppers_[slice]->look();
    }
  }
  if (!stepped_) {
    to->look_again();
  }
}

// Requests that continue a run.
static bool follows(const slice_run &run, const slice_run &more) {
  return run.first + run.count == more.first && run.beats == more.beats &&
         run.address + run.count * run.beats == more.address;
}

// Sends the same requests in the same cycles, but only their number and the cycles they take.
void atomics::send_c(const atomic_rows &rows, const core_memory_t &memory, mover &who, uint64_t number, uint64_t first,
                     uint64_t duration, uint64_t now) {
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
  transfer *to = begin(who, number);
  for (const unsigned slice : touched_) {
    timed_[slice].queue.add(now, reinterpret_cast<uint64_t>(to), first, duration, count, timed_[slice].runs);
    timed_[slice].runs.clear();
  }
  to->look_again();
}

void atomics::apply(const core_memory_t &memory, const command_t &command) {
  const atomic_rows rows(command, origin_);
  const uint64_t slice_bytes = sim_.config.gm.slice_bytes;
  uint32_t old[16384];
  room_.resize(rows.row_bytes / 4);
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const uint32_t *from = core_atomic_row(&memory, &command, row, room_.data());
    uint64_t offset = rows.gm + row * rows.gm_pitch;
    const uint64_t end = offset + rows.row_bytes;
    while (offset < end) {
      const uint64_t stop = std::min({end, (offset / slice_bytes + 1) * slice_bytes, offset + sizeof old});
      const size_t words = (stop - offset) / 4;
      auto *words_at = reinterpret_cast<uint32_t *>(base_ + offset);
      apply_words(rows.op, words_at, from, words, guards_[offset / slice_bytes % guards_.size()], old);
      from += rows.op == GM_RESCALE ? 0 : words;
      offset = stop;
    }
  }
}

// Guards are rare: only then the words are looked at one by one.
void atomics::apply_words(unsigned op, uint32_t *memory, const uint32_t *operands, size_t words, guard_count &count,
                          uint32_t *old) {
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
  result.rtl_cycles += rtl_.ticks();
  result.rtl_seconds += rtl_.seconds();
  for (unsigned i = 0; i < guards_.size(); ++i) {
    const uint32_t flags = guards_[i].flags;
    const gm_status status = is_rtl() ? rtl_.status(i)
                                      : gm_status{(flags & NUM_GM_GUARD_ZERO) != 0, (flags & NUM_GM_GUARD_SPECIAL) != 0,
                                                  (flags & NUM_GM_GUARD_UNDERFLOW) != 0,
                                                  (flags & NUM_GM_GUARD_OVERFLOW) != 0, guards_[i].lanes};
    result.guard_zero += status.zero;
    result.guard_special += status.special;
    result.guard_underflow += status.underflow;
    result.guard_overflow += status.overflow;
    result.guard_lanes += status.guard_lanes;
  }
}

}  // namespace soc
