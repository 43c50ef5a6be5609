// Flags: the only thing that orders pipes and cores.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_FLAGS_H
#define SOC_FLAGS_H

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "hal/command.h"
#include "soc/race.h"

namespace soc {

// Flags between the pipes of one core: one bit for each (from, to, event).
class flag_board {
 public:
  // False if the flag is up already: two sets without a wait between them.
  bool set(unsigned from, const cmd_set_flag_t &command, vector_clock clock);
  // Lowers the flag and gives the setter's clock; nothing if it is down.
  std::optional<vector_clock> take(unsigned to, const cmd_wait_flag_t &command);
  sc_core::sc_event &raised(unsigned to) { return raised_[to]; }
  // Calls back for every flag that is up.
  void for_each_up(const std::function<void(const cmd_set_flag_t &)> &visit) const;

 private:
  struct flag {
    bool up = false;
    vector_clock clock;
    cmd_set_flag_t setter{};
  };
  flag &at(unsigned from, unsigned to, unsigned event) {
    return flags_[(from * PIPE_COUNT + to) * FLAG_EVENTS + event];
  }
  flag flags_[PIPE_COUNT * PIPE_COUNT * FLAG_EVENTS];
  sc_core::sc_event raised_[PIPE_COUNT];
};

// Cross-core flags as one core receives them: a count for each flag and sender.
class cross_flag_board {
 public:
  explicit cross_flag_board(size_t senders) : senders_(senders) {
    for (auto &flag : arrivals_) {
      flag.resize(senders);
    }
  }
  // A sender's flag arrives at the given cycle.  False if the count would pass CROSS_FLAG_MAX.
  bool set(size_t sender, const cmd_cross_set_t &command, uint64_t arrival, vector_clock clock);
  // Cycle at which every sender's next flag is here; nothing if some sender has not set it yet.
  std::optional<uint64_t> ready_at(unsigned flag) const;
  // Counts every sender's flag down and returns their clocks.
  std::vector<vector_clock> take(unsigned flag);
  sc_core::sc_event &changed() { return changed_; }
  void for_each_up(const std::function<void(size_t sender, const cmd_cross_set_t &)> &visit) const;

 private:
  struct arrival {
    uint64_t cycle;
    vector_clock clock;
    cmd_cross_set_t setter;
  };
  size_t senders_;
  std::vector<std::deque<arrival>> arrivals_[CROSS_FLAGS];
  sc_core::sc_event changed_;
};

}  // namespace soc

#endif
