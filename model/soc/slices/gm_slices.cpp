// SPDX-License-Identifier: Apache-2.0
#include "soc/slices/gm_slices.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "soc/cores/simulation.h"

namespace soc {

gm_slices::~gm_slices() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread &thread : workers_) {
    thread.join();
  }
}

void gm_slices::make(const slice_clock &clock, std::unique_ptr<gm_unit> unit, gm_slice::taken_fn taken) {
  slices_.emplace_back(gm_slice(clock, std::move(unit), std::move(taken)));
}

void gm_slices::add(unsigned slice, uint64_t token, std::vector<gm_slice::beat> beats, uint64_t now) {
  try {
    while (workers_.size() + 1 < std::min<size_t>(threads_, slices_.size())) {
      workers_.emplace_back(&gm_slices::work, this);
    }
  } catch (const std::system_error &) {  // no more threads can be started: those that are there do it
    threads_ = static_cast<unsigned>(workers_.size() + 1);
  }
  one &of = slices_[slice];
  {
    const std::lock_guard<std::mutex> lock(of.mutex);
    of.slice.add(token, std::move(beats));
  }
  until_.store(now, std::memory_order_release);
}

uint64_t gm_slices::earliest(unsigned slice, uint64_t token) {
  one &of = slices_[slice];
  const std::lock_guard<std::mutex> lock(of.mutex);
  return of.slice.earliest(token);
}

uint64_t gm_slices::next(unsigned slice) {
  one &of = slices_[slice];
  const std::lock_guard<std::mutex> lock(of.mutex);
  return of.slice.next();
}

// --- the work ---------------------------------------------------------------------------------

// With its mutex held.
void gm_slices::advance(one &of, uint64_t now) {
  stopwatch watch(of.seconds);
  of.slice.advance(now, of.answers);
}

// Clock cycles that these slices are behind, but for those that a thread is at.
uint64_t gm_slices::behind(const std::vector<unsigned> &slices, uint64_t now) {
  uint64_t sum = 0;
  for (const unsigned slice : slices) {
    one &of = slices_[slice];
    const std::unique_lock<std::mutex> lock(of.mutex, std::try_to_lock);
    sum += lock ? of.slice.behind(now) : 0;
  }
  return sum;
}

std::optional<unsigned> gm_slices::reach(const std::vector<unsigned> &slices, uint64_t now,
                                         std::vector<answer> &answers) {
  until_.store(now, std::memory_order_release);
  if (asleep_.load() > 0 && behind(slices, now) >= 2 * kWorthAThread) {
    const std::lock_guard<std::mutex> lock(mutex_);
    changed_.notify_all();
  }
  std::optional<unsigned> early;
  const auto finish = [&](unsigned slice, one &of) {
    advance(of, now);
    for (const gm_slice::answer &a : of.answers) {
      answers.push_back({slice, a.cycle, a.token});
    }
    of.answers.clear();
    if (of.slice.was_early()) {
      early = slice;
    }
  };
  left_.clear();
  for (const unsigned slice : slices) {
    one &of = slices_[slice];
    const std::unique_lock<std::mutex> lock(of.mutex, std::try_to_lock);
    if (lock) {
      finish(slice, of);
    } else {
      left_.push_back(slice);
    }
  }
  for (const unsigned slice : left_) {
    one &of = slices_[slice];
    const std::lock_guard<std::mutex> lock(of.mutex);
    finish(slice, of);
  }
  return early;
}

// The other way round than the machine: they meet in the middle. False: there was nothing to do.
bool gm_slices::work_some(uint64_t until) {
  bool worked = false;
  for (auto of = slices_.rbegin(); of != slices_.rend(); ++of) {
    const std::unique_lock<std::mutex> lock(of->mutex, std::try_to_lock);
    if (lock && of->slice.behind(until) >= kWorthAThread) {
      advance(*of, until);
      worked = true;
    }
  }
  return worked;
}

void gm_slices::work() {
  constexpr unsigned kPatience = 50;  // calls of yield, of some 0.3 us: the machine comes by often
  uint64_t seen = 0;
  unsigned idle = 0;
  for (;;) {
    const uint64_t until = until_.load(std::memory_order_acquire);
    if (until != seen && work_some(until)) {
      idle = 0;
      continue;
    }
    seen = until;
    if (++idle < kPatience) {
      std::this_thread::yield();
      continue;
    }
    idle = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    if (stopping_) {
      return;
    }
    ++asleep_;
    changed_.wait(lock);
    --asleep_;
  }
}

// --- the end ----------------------------------------------------------------------------------

uint64_t gm_slices::ticks() const {
  uint64_t sum = 0;
  for (const one &of : slices_) {
    const std::lock_guard<std::mutex> lock(of.mutex);
    sum += of.slice.ticks();
  }
  return sum;
}

gm_status gm_slices::status(unsigned slice) const {
  const one &of = slices_[slice];
  const std::lock_guard<std::mutex> lock(of.mutex);
  return of.slice.status();
}

double gm_slices::seconds() const {
  double sum = 0;
  for (const one &of : slices_) {
    const std::lock_guard<std::mutex> lock(of.mutex);
    sum += of.seconds;
  }
  return sum;
}

}  // namespace soc
