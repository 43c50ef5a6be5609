// A pipe: takes commands from its queue in order, keeps each for its cycles, and lets it take
// effect when it completes.
//
//   scalar --push--> [ queue ] --issue--> busy for its cycles --> [ in flight ] --complete--> effect
//
// Moves from and to global memory are in flight for its latency while the pipe already works on the
// next command; all commands complete in order.
//
// The pipe has a clock of its own, which runs ahead of the machine's until the pipe needs a command
// or a flag that has not come, or begins a move (scheduler.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_PIPE_H
#define AMALGAM_SOC_CORES_PIPE_H

#include <memory>
#include <vector>

#include "hal/command.h"
#include "soc/cores/fifo.h"
#include "soc/cores/pipe_services.h"
#include "soc/races/hazards.h"

namespace soc {

// A command with what can be said of it before its turn: by its firmware's thread, which runs ahead.
struct pushed_command {
  command_t command;
  uint64_t busy;  // cycles that it keeps its pipe busy, if nothing else decides
  bool malformed;
};

class pipe final : public runner, public mover {
 public:
  // track: its number for those who look on.
  pipe(const pipe_services &services, unsigned id, unsigned track);

  // Queues a command that the scalar core pushes at its cycle; false: the queue is full.  The cycle
  // moves on to that in which the command got room.  order: of the push among those of its core.
  // after: what the program has waited for, if the pipe has not been told.
  bool push(const pushed_command &pushed, uint64_t order, uint64_t &cycle,
            std::shared_ptr<const vector_clock> after = nullptr);
  void advance() override;
  void tell_standing() const override;
  // It may be able to go on.
  void wake() {
    __builtin_prefetch(&queue_[front_]);  // advance() reads it soon
    services_.clock.wake(*this);
  }

  void moved(uint64_t cycle) override;
  void answered(uint64_t number, uint64_t cycle) override;
  // The word that its AWAIT waits for became large enough at a cycle.
  void signalled(uint64_t cycle, const vector_clock &clock, const pipe_cause &cause);
  // The machine's SYNC_ALL is complete.
  void synchronised(uint64_t cycle, const vector_clock &clock, const pipe_cause &cause);

  // Does it, pipe S, stand before a barrier of all pipes?
  bool waits_for_all() const { return popped_ < pushed_ && front().command.header.opcode_ == OP_PIPE_BARRIER; }
  // Does it stand before a wait for this flag?
  bool waits_for_cross(unsigned opcode, unsigned flag) const {
    return popped_ < pushed_ && front().command.header.opcode_ == opcode && front().command.cross_wait.flag == flag;
  }
  bool idle() const { return popped_ == pushed_ && in_flight_.empty(); }
  uint64_t order() const { return front().order; }  // of the command at the front, in the core's program
  const command_t &current() const { return popped_ < pushed_ ? front().command : in_flight_.front().what.command; }
  unsigned id() const { return id_; }
  unsigned agent() const { return agent_; }
  uint64_t finish() const { return finish_; }
  uint64_t time() const { return time_; }
  // The command it is at.
  uint64_t number() const { return popped_; }
  // For those who ask what it is at: commands in its queue from the one that it is at on, those that are not done; is a
  // move or a look under way; is it at a SYNC_ALL?
  size_t queued() const { return pushed_ - popped_; }
  const command_t &queued(size_t i) const { return queue_[(front_ + i) % queue_.size()].command; }
  size_t in_flight() const { return in_flight_.size(); }
  bool moving() const { return moving_; }
  bool syncing() const { return syncing_; }
  void report(uint64_t total, soc_pipe_t &out) const;

 private:
  struct slot {
    command_t command;
    uint64_t busy = 0;
    uint64_t order = 0;                           // of its push
    uint64_t issued = 0, pushed = 0, popped = 0;  // cycles
    std::shared_ptr<const vector_clock> after;
  };
  struct flight {
    soc_command_t what;  // what it did so far
    uint64_t latency;    // from the answer to ready
    bool unanswered;     // slices or engine decide: they have not answered
    vector_clock clock;  // flags: what the setter has seen
  };

  const slot &front() const { return queue_[front_]; }
  size_t behind(size_t place) const { return place + 1 == queue_.size() ? 0 : place + 1; }  // in the ring
  void pop();
  soc_command_t record_front(uint64_t begin) const;
  void spend(activity what, uint64_t until);
  bool issue(const command_t &command);
  bool wait_flag(const cmd_wait_flag_t &command);
  bool cross_wait(const cmd_cross_wait_t &command);
  bool barrier();
  bool barrier_of_all();
  bool sync_all();
  bool issue_set(const command_t &command);
  bool issue_local(const command_t &command);
  bool settle_results(const command_t &command);
  bool issue_move(const command_t &command);
  bool issue_look(const command_t &command);
  bool issue_await(const command_t &command);
  void look(uint64_t now);
  void run(uint64_t now) override;  // a move begins, or a look
  void go_on();
  void tell_idle() const;
  bool check_in_flight(const command_t &command);
  void pass(const command_t &command, uint64_t begin, uint64_t ready);
  void launch(const flight &f);
  void complete_in_order();
  void complete(const flight &f);
  void take_effect(const command_t &command, uint64_t number, const vector_clock &clock);
  void set_flag(const cmd_set_flag_t &command, uint64_t number, const vector_clock &clock);
  void tell_activity(activity what, uint64_t cycle) const;
  void tell_passed(const command_t &command, uint64_t begin) const;
  void tell_waited(uint64_t begin, const pipe_cause &cause) const;

  bool stopped() const { return services_.result.status != SOC_DONE; }
  bool watched() const { return !services_.watchers.empty(); }

  const pipe_services &services_;
  const unsigned id_;
  const unsigned agent_;
  std::vector<slot> queue_;           // a ring
  size_t front_ = 0, end_ = 0;        // places in it: of the command it is at, and of the next one pushed
  uint64_t pushed_ = 0, popped_ = 0;  // commands so far
  fifo<flight> in_flight_;
  hazards late_;                  // results of V
  fifo<uint64_t> early_answers_;  // to a command whose move goes on
  uint64_t time_ = 0;             // this pipe's clock
  uint64_t finish_ = 0;           // cycle of the last effect
  bool moving_ = false;
  bool syncing_ = false, synchronised_ = false;
  uint64_t move_begin_ = 0, move_latency_ = 0, move_alone_ = 0;
  uint64_t sync_begin_ = 0, look_begin_ = 0;
  pipe_cause sync_cause_;  // who came last to its SYNC_ALL
  uint64_t spent_[ACTIVITIES] = {};
};

}  // namespace soc

#endif
