// Order in time.  Pipes run ahead of the machine's clock, each with a clock of its own, as long as
// their work depends on nothing but flags, which carry the cycle they were raised in.  Work on shared
// things (bandwidth, L2, atomic slices, engines) is done as an event, in order of cycles.
//
// An event is taken only when every pipe and every scalar core has run as far as it can: what any
// of them does later follows from an event still to come, so no event can come too late.
//
// Knows nothing of SystemC, whose clock drives it (soc_module.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_SCHEDULER_H
#define AMALGAM_SOC_CORES_SCHEDULER_H

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace soc {

// Something that happens at a cycle: now, or later.
class task {
 public:
  task() = default;
  task(const task &) = delete;  // events and wake-ups point to it
  task &operator=(const task &) = delete;
  virtual ~task() = default;
  virtual void run(uint64_t now) = 0;
};

// A task that runs ahead of the machine's clock whenever it has been woken: a pipe.
class runner : public task {
 public:
  // Goes on as far as it can.
  virtual void advance() = 0;
  // Tells those who look on what it stands before, when it has gone as far as it can.
  virtual void tell_standing() const = 0;

 private:
  friend class scheduler;
  bool woken_ = false;
};

class scheduler {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  // The machine's clock: the cycle of the last event.
  uint64_t now() const { return now_; }
  // Runs a task at a cycle, now or later.  Tasks of one cycle run in the order of these calls.
  void at(uint64_t cycle, task &what) { events_.push({cycle, order_++, &what}); }
  // It may be able to go on.
  void wake(runner &who) {
    if (!std::exchange(who.woken_, true)) {
      woken_.push_back(&who);
    }
  }
  // Something, a scalar core, may be able to go on; it runs before the next event.
  void wake(task &who) { ready_.push_back(&who); }

  // The clock comes to a cycle: takes the events up to it.  The cycle of the next event; kNever: nothing moves any
  // more, or the run has ended.
  uint64_t step(uint64_t now);

  // Events so far.
  uint64_t taken() const { return taken_; }

  // Runners that have moved on tell where they stand: somebody looks on.
  bool watched = false;
  // Called before each event; true ends the run.
  std::function<bool(uint64_t now)> between_events;

 private:
  struct event {
    uint64_t cycle, order;
    task *what;
    bool operator<(const event &other) const {  // the queue's top is the largest
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };
  void run_ahead();

  std::priority_queue<event> events_;
  uint64_t now_ = 0, order_ = 0, taken_ = 0;
  std::vector<runner *> woken_;
  std::vector<runner *> moved_on_;  // since the last event, if watched
  std::vector<task *> ready_;
};

}  // namespace soc

#endif
