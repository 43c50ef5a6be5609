// Order in time.  Pipes run ahead of the machine's clock, each with a clock of its own, as long as
// what they do depends on nothing but flags, which carry the cycle they were raised in.  What
// shares something (bandwidth, L2, atomic slices) is done as an event, in order of cycles.
//
// An event is taken only when every pipe and every scalar core has run as far as it can: what any
// of them does later follows from an event still to come, so no event can come too late.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_SCHEDULER_H
#define AMALGAM_SOC_CORES_SCHEDULER_H

#include <cstdint>
#include <functional>
#include <queue>
#include <systemc>
#include <vector>

namespace soc {

class pipe;

// Something that happens at a cycle: now, or later.
class task {
 public:
  task() = default;
  task(const task &) = delete;  // events and wake-ups point to it
  task &operator=(const task &) = delete;
  virtual ~task() = default;
  virtual void run(uint64_t now) = 0;
};

class scheduler : public sc_core::sc_module {
 public:
  explicit scheduler(sc_core::sc_module_name name);

  // Runs a task at a cycle, now or later.  Tasks of one cycle run in the order of these calls.
  void at(uint64_t cycle, task &what);
  // A pipe may be able to go on.
  void wake(pipe &who);
  // Something, a scalar core, may be able to go on; it runs before the next event.
  void wake(task &who);

  // Events so far.
  uint64_t taken() const { return taken_; }

  // Pipes that have moved on tell where they stand (pipe.h): somebody looks on.
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
  void step();  // SC_METHOD
  void run_ahead();

  std::priority_queue<event> events_;
  uint64_t order_ = 0, taken_ = 0;
  std::vector<pipe *> woken_;
  std::vector<pipe *> moved_on_;  // since the last event, if watched
  std::vector<task *> ready_;
  bool stepping_ = false;
  sc_core::sc_event wake_;
};

}  // namespace soc

#endif
