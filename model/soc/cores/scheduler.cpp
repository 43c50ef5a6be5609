// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/scheduler.h"

#include "soc/cores/pipe.h"
#include "soc/cores/simulation.h"

namespace soc {

scheduler::scheduler(sc_core::sc_module_name name) : sc_module(name) {
  SC_HAS_PROCESS(scheduler);
  SC_METHOD(step);
  sensitive << wake_;
}

void scheduler::at(uint64_t cycle, task &what) {
  events_.push({cycle, order_++, &what});
  if (!stepping_) {
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
}

void scheduler::wake(pipe &who) {
  if (who.mark_woken()) {
    woken_.push_back(&who);
    if (!stepping_) {
      wake_.notify(sc_core::SC_ZERO_TIME);
    }
  }
}

void scheduler::wake(task &who) {
  ready_.push_back(&who);
  if (!stepping_) {
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
}

// Everything that does not depend on an event to come.
void scheduler::run_ahead() {
  while (!woken_.empty() || !ready_.empty()) {
    if (!woken_.empty()) {
      pipe *next = woken_.back();
      woken_.pop_back();
      next->advance();
      if (watched) {
        moved_on_.push_back(next);
      }
    } else {
      task *next = ready_.back();
      ready_.pop_back();
      next->run(now());
    }
  }
  for (const pipe *p : moved_on_) {
    p->tell_standing();
  }
  moved_on_.clear();
}

void scheduler::step() {
  stepping_ = true;
  for (;;) {
    run_ahead();
    if (events_.empty()) {
      next_trigger(wake_);
      break;
    }
    const event next = events_.top();
    if (next.cycle > now()) {
      next_trigger(cycles(next.cycle - now()), wake_);
      break;
    }
    if (between_events(next.cycle)) {
      break;
    }
    events_.pop();
    ++taken_;
    next.what->run(next.cycle);
  }
  stepping_ = false;
}

}  // namespace soc
