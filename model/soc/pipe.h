// A pipe: takes commands from its queue in order, keeps each for its cycles, and lets it take
// effect when it completes.
//
//   scalar --push--> [ queue ] --issue--> busy for core_cycles --> [ in flight ] --retire--> effect
//
// Loads from and stores to global memory are in flight for its latency while the pipe already
// works on the next command; they complete in order.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_PIPE_H
#define SOC_PIPE_H

#include <deque>
#include <memory>
#include <systemc>

#include "hal/command.h"
#include "soc/gm_slice.h"
#include "soc/race.h"
#include "soc/simulation.h"

namespace soc {

class core_unit;

class pipe : public sc_core::sc_module {
 public:
  pipe(sc_core::sc_module_name name, core_unit &core, unsigned id);

  // Queues a command; blocks the calling process while the queue is full.
  void push(const command_t &command);
  bool idle() const { return queue_.empty() && in_flight_.empty(); }
  const command_t &current() const { return queue_.empty() ? in_flight_.front().command : queue_.front(); }
  unsigned agent() const { return agent_; }
  uint64_t finish() const { return finish_; }
  void report(uint64_t total, soc_pipe_t &out) const;

 private:
  enum activity { BUSY, EMPTY, FLAG, CROSS_FLAG, BARRIER, ACTIVITIES };
  static const char *const kActivityName[ACTIVITIES];

  struct flight {
    command_t command;
    uint64_t number;                          // of the command in its pipe
    uint64_t begin, end;                      // cycles it kept the pipe busy
    uint64_t ready;                           // cycle from which it may complete
    std::shared_ptr<gm_transfer> transfer;    // atomic operations: the slices decide
    vector_clock clock;                       // flags: what the setter has seen
  };

  void issue();                               // SC_THREAD
  void retire();                              // SC_THREAD
  void issue_command(const command_t &command);
  void issue_data(const command_t &command);
  void wait_flag(const cmd_wait_flag_t &command);
  void cross_wait(const cmd_cross_wait_t &command);
  void barrier(const command_t &command);
  void sync_all(const command_t &command);
  bool check_accesses(const command_t &command, bool &cold);
  uint64_t latency(const command_t &command, bool cold) const;
  void launch(flight f);
  void complete(const flight &f);
  void set_flag(const flight &f);
  void become(activity next);

  core_unit &core_;
  simulation &sim_;
  unsigned id_;
  unsigned agent_;
  unsigned track_;
  double *host_seconds_;                      // wall time of its effects goes here
  std::deque<command_t> queue_;
  std::deque<flight> in_flight_;
  sc_core::sc_event pushed_, popped_, launched_, retired_;
  activity activity_ = EMPTY;
  uint64_t since_ = 0;
  uint64_t spent_[ACTIVITIES] = {};
  uint64_t commands_ = 0;
  uint64_t finish_ = 0;
};

}  // namespace soc

#endif
