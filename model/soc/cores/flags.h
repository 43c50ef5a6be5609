// Flags: the only thing that orders pipes and cores.
//
// A flag carries the cycle it comes up and what its setter has seen.  Pipes have clocks of their
// own (scheduler.h), so a setter may be ahead of the waiter: sets queue up here, and whether two of
// them met in the machine's time is known when the wait between them is.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_FLAGS_H
#define AMALGAM_SOC_CORES_FLAGS_H

#include <climits>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hal/command.h"
#include "soc/cores/fifo.h"
#include "soc/races/race_detector.h"

namespace soc {

// The command that a wait waited for.
struct pipe_cause {
  unsigned track = UINT_MAX;
  uint64_t number = 0, done = 0;
};

// Flags between the pipes of one core: one bit for each (from, to, event).
class flag_board {
 public:
  struct raised {
    uint64_t cycle;
    vector_clock clock;
    cmd_set_flag_t setter;
    uint64_t number;  // of the setter in its pipe
  };
  // False if the flag was up already: two sets without a wait between them. number: of the setter in its pipe.
  bool set(unsigned from, uint64_t cycle, const vector_clock &clock, const cmd_set_flag_t &setter, uint64_t number);
  // The set that this wait meets, or null if it has not come yet.
  const raised *peek(unsigned to, const cmd_wait_flag_t &command);
  // Lowers that flag at a cycle.  The setter of the next one if it came before that, else nothing.
  std::optional<cmd_set_flag_t> take(unsigned to, const cmd_wait_flag_t &command, uint64_t cycle);
  // Calls back for every flag that is up, how often it was set.
  void for_each_up(const std::function<void(const cmd_set_flag_t &, size_t)> &visit) const;
  // Visits each flag that is up, with the first set that raised it, and the pipe that set it.
  void for_each_raised(const std::function<void(unsigned from, const raised &, size_t)> &visit) const;

 private:
  struct flag {
    fifo<raised> sets;
    uint64_t lowered = 0;  // cycle of the last wait
  };
  static size_t place(unsigned from, unsigned to, unsigned event) {
    return (from * PIPE_COUNT + to) * FLAG_EVENTS + event;
  }
  // Flags that have ever been set, of which there are few: their numbers in flags_ from 1 on; 0: never.
  uint16_t numbers_[PIPE_COUNT * PIPE_COUNT * FLAG_EVENTS] = {};
  std::vector<flag> flags_;
};

// Cross-core flags as one core receives them: a count for each flag and sender.
class cross_flag_board {
 public:
  explicit cross_flag_board(size_t senders) : senders_(senders) {
    for (auto &flag : arrivals_) {
      flag.resize(senders);
    }
  }
  struct arrival {
    uint64_t sent, cycle;  // it comes at cycle
    vector_clock clock;
    cmd_cross_set_t setter;
    pipe_cause cause;
  };
  void set(size_t sender, const arrival &flag) { arrivals_[flag.setter.flag][sender].push_back(flag); }
  // Cycle at which every sender's next flag is here; nothing if some sender has not set it yet.
  std::optional<uint64_t> ready_at(unsigned flag) const;
  // Counts every sender's flag down at a cycle; visits what came.  False, and the setter, if a
  // count had passed CROSS_FLAG_MAX by then.
  bool take(unsigned flag, uint64_t cycle, const std::function<void(const arrival &, size_t sender)> &visit,
            size_t &sender, cmd_cross_set_t &setter);
  void for_each_up(const std::function<void(size_t sender, const cmd_cross_set_t &, size_t)> &visit) const;
  // Visits each flag that has come, with the first arrival.
  void for_each_arrival(const std::function<void(size_t sender, const arrival &, size_t)> &visit) const;
  size_t senders() const { return senders_; }
  bool has_come(unsigned flag, size_t sender) const { return !arrivals_[flag][sender].empty(); }

 private:
  size_t senders_;
  std::vector<fifo<arrival>> arrivals_[CROSS_FLAGS];
};

}  // namespace soc

#endif
