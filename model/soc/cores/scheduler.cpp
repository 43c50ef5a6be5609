// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/scheduler.h"

namespace soc {

// Everything that does not depend on an event to come.
void scheduler::run_ahead() {
  while (!woken_.empty() || !ready_.empty()) {
    if (!woken_.empty()) {
      runner *next = woken_.back();
      woken_.pop_back();
      next->woken_ = false;
      next->advance();
      if (watched) {
        moved_on_.push_back(next);
      }
    } else {
      task *next = ready_.back();
      ready_.pop_back();
      next->run(now_);
    }
  }
  for (const runner *r : moved_on_) {
    r->tell_standing();
  }
  moved_on_.clear();
}

uint64_t scheduler::step(uint64_t now) {
  now_ = now;
  for (;;) {
    run_ahead();
    if (events_.empty()) {
      return kNever;
    }
    const event next = events_.top();
    if (next.cycle > now_) {
      return next.cycle;
    }
    if (between_events(next.cycle)) {
      return kNever;
    }
    events_.pop();
    ++taken_;
    next.what->run(next.cycle);
  }
}

}  // namespace soc
