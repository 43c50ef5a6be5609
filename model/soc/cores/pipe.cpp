// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/pipe.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace soc {

pipe::pipe(const pipe_services &services, unsigned id, unsigned track)
    : mover(track),
      services_(services),
      id_(id),
      agent_(services.races.add_agent(services.core)),
      queue_(services.config.scalar.queue_depth) {}

bool pipe::push(const pushed_command &pushed, uint64_t order, uint64_t &cycle,
                std::shared_ptr<const vector_clock> after) {
  if (pushed_ - popped_ == queue_.size()) {
    return false;
  }
  slot &s = queue_[end_];
  s.order = order;
  s.issued = cycle;
  cycle = std::max(cycle, s.popped);  // of the command that had this slot before
  s.command = pushed.command;
  s.busy = pushed.busy;
  s.pushed = cycle;
  s.after = std::move(after);
  end_ = behind(end_);
  ++pushed_;
  for (watcher *w : services_.watchers) {
    w->pushed(track(), cycle);
  }
  wake();
  return true;
}

// The pipe's clock moves on.
void pipe::spend(activity what, uint64_t until) {
  if (until > time_) {
    if (watched()) {
      tell_activity(what, time_);
    }
    spent_[what] += until - time_;
    time_ = until;
  }
}

// The command at the front leaves the queue.
void pipe::pop() {
  queue_[front_].popped = time_;
  front_ = behind(front_);
  ++popped_;
}

void pipe::advance() {
  const uint64_t popped = popped_;
  while (popped_ < pushed_ && !moving_ && !stopped()) {
    spend(EMPTY, front().pushed);
    if (front().after) {
      services_.races.acquire(agent_, *front().after);
    }
    if (!issue(front().command)) {
      break;
    }
    const bool held = id_ == PIPE_S && core_holds_program(&front().command);
    const bool all = front().command.header.opcode_ == OP_PIPE_BARRIER;
    pop();
    if (held) {
      services_.effects.program_waited(*this, all);
    }
  }
  if (popped_ != popped) {
    services_.effects.popped(*this);
  }
  tell_idle();
}

// A barrier of all pipes may be over.
void pipe::tell_idle() const {
  const auto &scalar = services_.pipes[PIPE_S];
  if (scalar && id_ != PIPE_S && idle() && scalar->waits_for_all()) {
    scalar->wake();
  }
}

namespace {

bool is_of_pair(const command_t &command) {
  return command.header.opcode_ == OP_PAIR_SET || command.header.opcode_ == OP_PAIR_WAIT;
}

// The activity of a pipe that stands before a command; BUSY: it does not wait there.
activity standing_before(const command_t &command) {
  switch (core_command_class(command.header.opcode_)) {
    case CLASS_FLAG_WAIT:
      return FLAG;
    case CLASS_CROSS_WAIT:
      return CROSS_FLAG;
    case CLASS_BARRIER:
    case CLASS_SYNC:
    case CLASS_LOOK:
      return BARRIER;
    case CLASS_SET:
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_ENGINE:
    case CLASS_LOCAL:
      break;
  }
  return BUSY;
}

}  // namespace

// False: it cannot go on yet.
bool pipe::issue(const command_t &command) {
  if (is_of_pair(command) && !services_.effects.check_pair(command)) {
    return false;
  }
  switch (core_command_class(command.header.opcode_)) {
    case CLASS_FLAG_WAIT:
      return wait_flag(command.wait_flag);
    case CLASS_CROSS_WAIT:  // PAIR_WAIT has the same fields
      return command.header.opcode_ == OP_AWAIT ? issue_await(command) : cross_wait(command.cross_wait);
    case CLASS_BARRIER:
      return barrier();
    case CLASS_SYNC:
      return sync_all();
    case CLASS_SET:
      return issue_set(command);
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_ENGINE:
      return issue_move(command);
    case CLASS_LOOK:
      return issue_look(command);
    case CLASS_LOCAL:
      break;
  }
  return issue_local(command);
}

static_assert(sizeof(cmd_pair_set_t) == sizeof(cmd_cross_set_t) &&
              offsetof(cmd_pair_set_t, flag) == offsetof(cmd_cross_set_t, flag) &&
              offsetof(cmd_pair_wait_t, flag) == offsetof(cmd_cross_wait_t, flag));

// --- waits ------------------------------------------------------------------------------------

bool pipe::wait_flag(const cmd_wait_flag_t &command) {
  const flag_board::raised *flag = services_.flags.peek(id_, command);
  if (flag == nullptr) {
    return false;
  }
  const uint64_t begin = time_;
  const pipe_cause cause =
      watched() ? pipe_cause{services_.pipes[command.from]->track(), flag->number, flag->cycle} : pipe_cause{};
  spend(FLAG, flag->cycle);
  services_.races.acquire(agent_, flag->clock);
  for (watcher *w : services_.watchers) {
    w->flag_taken(services_.core_number, id_, command, flag->cycle, time_);
  }
  if (auto twice = services_.flags.take(id_, command, time_)) {
    services_.effects.flag_twice(*twice);
  }
  if (watched()) {
    tell_waited(begin, cause);
  }
  return true;
}

bool pipe::cross_wait(const cmd_cross_wait_t &command) {
  cross_flag_board &board = command.opcode_ == OP_PAIR_WAIT ? services_.pair_flags : services_.cross_flags;
  const std::optional<uint64_t> ready = board.ready_at(command.flag);
  if (!ready) {
    return false;
  }
  const uint64_t begin = time_;
  spend(CROSS_FLAG, *ready);
  size_t sender = 0;
  cmd_cross_set_t setter;
  pipe_cause cause;
  const auto see = [this, &cause](const cross_flag_board::arrival &flag, size_t from) {
    for (watcher *w : services_.watchers) {
      w->cross_flag_taken(services_.core_number, from, flag.setter, flag.cycle, time_);
    }
    services_.races.acquire(agent_, flag.clock);
    if (cause.track == UINT_MAX || flag.sent > cause.done) {
      cause = flag.cause;
    }
  };
  if (!board.take(command.flag, time_, see, sender, setter)) {
    services_.effects.cross_flag_overflow(sender, setter);
  }
  if (watched()) {
    tell_waited(begin, cause);
  }
  return true;
}

bool pipe::barrier() {
  if (id_ == PIPE_S) {
    return barrier_of_all();
  }
  if (!in_flight_.empty()) {
    return false;
  }
  const uint64_t begin = time_;
  spend(BARRIER, std::max(time_, finish_) + front().busy);
  services_.races.settle(agent_);
  if (watched()) {
    tell_waited(begin, {});
  }
  return true;
}

// The program has pushed nothing since, so that all pipes come to their ends.
bool pipe::barrier_of_all() {
  uint64_t over = std::max(time_, finish_);
  for (const auto &other : services_.pipes) {
    if (other && other.get() != this && !other->idle()) {
      return false;
    }
    const bool drains = other && other->id() == PIPE_V && other->number() > 0;
    over =
        other ? std::max({over, other->time(), other->finish() + (drains ? services_.config.vector.drain : 0)}) : over;
  }
  const uint64_t begin = time_;
  spend(BARRIER, over + front().busy);
  for (const auto &other : services_.pipes) {
    if (other) {
      services_.races.begin_to_hand_on(other->agent());
      services_.races.acquire(agent_, services_.races.clock(other->agent()));
    }
  }
  if (watched()) {
    tell_waited(begin, {});
  }
  return true;
}

// Comes to the machine's meeting point once, and goes on when it is complete.
bool pipe::sync_all() {
  if (!in_flight_.empty()) {
    return false;
  }
  if (!syncing_) {
    syncing_ = true;
    sync_begin_ = time_;
    services_.races.begin_to_hand_on(agent_);
    services_.effects.arrive(*this, std::max(time_, finish_));
  }
  if (!synchronised_) {
    return false;
  }
  syncing_ = synchronised_ = false;
  if (watched()) {
    tell_waited(sync_begin_, sync_cause_);
  }
  return true;
}

void pipe::synchronised(uint64_t cycle, const vector_clock &clock, const pipe_cause &cause) {
  sync_cause_ = cause;
  sync_begin_ = time_;
  spend(BARRIER, cycle);
  services_.races.acquire(agent_, clock);
  synchronised_ = true;
  wake();
}

// --- commands that do something ---------------------------------------------------------------

// What the command at the front has done when it leaves the pipe.
soc_command_t pipe::record_front(uint64_t begin) const {
  const slot &s = front();
  return {track(), 0,     popped_,       s.order,      s.issued, s.pushed, begin,    time_,
          time_,   time_, time_ - begin, SOC_NO_CAUSE, 0,        0,        s.command};
}

bool pipe::issue_set(const command_t &command) {
  const uint64_t begin = time_;
  services_.races.begin_to_hand_on(agent_);
  spend(BUSY, time_ + front().busy);
  if (watched()) {
    tell_passed(command, begin);
  }
  pass(command, begin, time_ + (id_ == PIPE_V ? services_.config.vector.drain : 0));
  return true;
}

// A VEC or VINST that reads what is not there yet is a mistake, or waits as for a barrier: then also one that writes
// over it, since those who put barriers into programs do so.
bool pipe::settle_results(const command_t &command) {
  late_.settle(services_.races.settled(agent_));
  const command_t *writer = late_.empty() ? nullptr : late_.find(command, services_.auto_sync);
  if (writer != nullptr && !services_.auto_sync) {
    return services_.effects.check_overlap(SPACE_UB, command, *writer);
  }
  if (writer != nullptr) {
    spend(BARRIER, std::max(time_, finish_) + services_.config.vector.drain);
    services_.races.settle(agent_);
  }
  return true;
}

bool pipe::issue_local(const command_t &command) {
  if (command.header.opcode_ == OP_WRITE_VALUE) {
    services_.races.settle(agent_);
  } else if (!late_.empty() && !settle_results(command)) {
    return false;
  }
  const uint64_t begin = time_;
  services_.races.begin(agent_);
  if (!services_.effects.check_accesses(agent_, command)) {
    return false;
  }
  if (command.header.opcode_ == OP_VINST) {
    late_.add(command, services_.races.clock(agent_).seen[agent_]);
  }
  spend(BUSY, time_ + front().busy);
  if (watched()) {
    tell_passed(command, begin);
  }
  pass(command, begin, time_);
  return true;
}

bool pipe::issue_move(const command_t &command) {
  if (command.header.opcode_ == OP_SIGNAL) {
    services_.races.begin_to_hand_on(agent_);
  } else {
    services_.races.begin(agent_);
  }
  if (services_.effects.check_accesses(agent_, command) && check_in_flight(command)) {
    moving_ = true;
    services_.clock.at(std::max(time_, services_.clock.now()), *this);
  }
  return false;
}

// A look at memory, by the scalar core or by the host, when this pipe's earlier commands are done: an event, for
// nobody may have run ahead of what is seen.
bool pipe::issue_look(const command_t &command) {
  if (!in_flight_.empty()) {
    return false;
  }
  services_.races.settle(agent_);
  services_.races.begin(agent_);
  if (services_.effects.check_accesses(agent_, command)) {
    look_begin_ = time_;
    moving_ = true;
    services_.clock.at(std::max({time_, finish_, services_.clock.now()}), *this);
  }
  return false;
}

// A look at a word, as an event: SIGNALs up to this cycle have come.
bool pipe::issue_await(const command_t &command) {
  if (services_.effects.check_accesses(agent_, command)) {
    look_begin_ = time_;
    moving_ = true;
    services_.clock.at(std::max(time_, services_.clock.now()), *this);
  }
  return false;
}

// It is read again and again: seen by the first read that began when it was there.
void pipe::signalled(uint64_t cycle, const vector_clock &clock, const pipe_cause &cause) {
  const uint64_t read =
      std::max<uint64_t>(1, config_cycles(&services_.config, services_.config.gm.l2_latency_us)) + front().busy;
  const uint64_t before = cycle > look_begin_ ? (cycle - look_begin_ + read - 1) / read : 0;
  spend(CROSS_FLAG, look_begin_ + (before + 1) * read);
  finish_ = std::max(finish_, time_);  // whoever waits last is not done before
  services_.races.acquire(agent_, clock);
  if (watched()) {
    tell_waited(look_begin_, cause);
  }
  go_on();
}

void pipe::look(uint64_t now) {
  const command_t &command = front().command;
  services_.effects.look(command, now);
  spend(BARRIER, now + front().busy);
  if (watched()) {
    tell_waited(look_begin_, {});
  }
  moving_ = false;
  pop();
  services_.effects.popped(*this);
  wake();
}

void pipe::run(uint64_t now) {
  const command_t &command = front().command;
  if (core_command_class(command.header.opcode_) == CLASS_LOOK) {
    return look(now);
  }
  if (command.header.opcode_ == OP_AWAIT) {
    tell_activity(CROSS_FLAG, now);
    return services_.effects.await(*this, command.await);
  }
  move_begin_ = now;
  tell_activity(BUSY, now);
  for (watcher *w : services_.watchers) {
    w->began(track(), command, now);
  }
  services_.effects.bring_up_to_date_for(command, now);
  move_latency_ = move_alone_ = 0;
  if (command.header.opcode_ == OP_ATTN) {
    services_.engine->attend(*this, popped_, command.attn);
    return;
  }
  const memory::course course = services_.memory.begin(*this, services_.die, services_.buffers, command, popped_, now);
  move_latency_ = course.latency;
  move_alone_ = course.duration;
  if (command.header.opcode_ == OP_LOAD_KV) {
    services_.engine->load(*this, popped_, command.load_kv, now + 1 + course.latency, course.duration);
  }
}

void pipe::moved(uint64_t cycle) {
  const command_t &command = front().command;
  const bool atomic = core_is_atomic(&command);
  const unsigned opcode = command.header.opcode_;
  const bool awaited = atomic || opcode == OP_LOAD_KV || opcode == OP_ATTN;
  spend(BUSY, cycle);
  for (watcher *w : services_.watchers) {
    w->ended(track(), command, cycle);
  }
  // The latency of an atomic command counts from the slices' answer, which may have come; an engine's
  // answer is all there is to wait for.
  const uint64_t latency = atomic ? move_latency_ : 0;
  const bool unanswered = awaited && early_answers_.empty();
  if (!awaited && in_flight_.empty() && !watched()) {
    finish_ = std::max(time_ + move_latency_, finish_);
    take_effect(command, popped_, services_.races.clock(agent_));
    return go_on();
  }
  flight f = {record_front(move_begin_), latency, unanswered, {}};
  if (opcode == OP_SIGNAL) {
    f.clock = services_.races.clock(agent_);
  }
  f.what.ready = time_ + move_latency_;
  if (awaited && !unanswered) {
    f.what.ready = std::max(f.what.ready, early_answers_.front() + latency);
    early_answers_.pop_front();
  }
  f.what.alone = move_alone_ != 0 ? move_alone_ : f.what.alone;
  launch(f);
  go_on();
}

// A move is over, the next command's turn.
void pipe::go_on() {
  moving_ = false;
  pop();
  services_.effects.popped(*this);
  wake();
}

void pipe::answered(uint64_t number, uint64_t cycle) {
  for (size_t i = 0; i < in_flight_.size(); ++i) {
    flight &f = in_flight_[i];
    if (f.what.number == number) {
      f.unanswered = false;
      f.what.ready = std::max(f.what.ready, cycle + f.latency);
      complete_in_order();
      wake();
      return;
    }
  }
  early_answers_.push_back(cycle);  // the move itself still goes on
}

// --- effects ----------------------------------------------------------------------------------

// A command whose effect's cycle is known leaves the pipe. As a rule nothing is before it, and nobody looks on.
void pipe::pass(const command_t &command, uint64_t begin, uint64_t ready) {
  const vector_clock &clock = services_.races.clock(agent_);
  if (in_flight_.empty() && !watched()) {
    finish_ = std::max(ready, finish_);
    return take_effect(command, popped_, clock);
  }
  flight f = {record_front(begin), 0, false, clock};
  f.what.ready = ready;
  launch(f);
}

void pipe::launch(const flight &f) {
  if (in_flight_.empty() && !f.unanswered) {
    complete(f);
    return;
  }
  in_flight_.push_back(f);
}

void pipe::complete_in_order() {
  while (!in_flight_.empty() && !in_flight_.front().unanswered && !stopped()) {
    const flight f = in_flight_.front();
    in_flight_.pop_front();
    complete(f);
  }
  tell_idle();
}

void pipe::complete(const flight &f) {
  finish_ = std::max(f.what.ready, finish_);
  for (watcher *w : services_.watchers) {
    soc_command_t done = f.what;
    done.done = finish_;
    w->done(done);
  }
  take_effect(f.what.command, f.what.number, f.clock);
}

// In the cycle finish_. clock: a flag's, what the setter has seen.
void pipe::take_effect(const command_t &command, uint64_t number, const vector_clock &clock) {
  switch (command.header.opcode_) {
    case OP_SET_FLAG:
      return set_flag(command.set_flag, number, clock);
    case OP_CROSS_SET:
    case OP_PAIR_SET:  // the same fields
      return services_.effects.cross_set(command.cross_set, clock, finish_, {track(), number, finish_});
    case OP_SIGNAL:
      return services_.effects.signal(command.signal, clock, finish_, {track(), number, finish_});
    default:
      services_.result.flops += core_flops(&command);
      services_.effects.take_effect(agent_, finish_, command, number);
  }
}

void pipe::set_flag(const cmd_set_flag_t &command, uint64_t number, const vector_clock &clock) {
  if (!services_.flags.set(id_, finish_, clock, command, number)) {
    services_.effects.flag_twice(command);
    return;
  }
  for (watcher *w : services_.watchers) {
    w->flag_up(services_.core_number, id_, command, finish_);
  }
  services_.pipes[command.to]->wake();
}

// --- those who look on ------------------------------------------------------------------------

// From a cycle on it does this, for its next command unless it has none.
void pipe::tell_activity(activity what, uint64_t cycle) const {
  for (watcher *w : services_.watchers) {
    w->pipe_is(track(), what, what == EMPTY ? nullptr : &front().command, popped_, cycle);
  }
}

// A move is told by run() when it begins.
void pipe::tell_standing() const {
  if (popped_ == pushed_) {
    return tell_activity(EMPTY, time_);
  }
  const activity wait = standing_before(front().command);
  if (wait != BUSY) {  // else it moves, or the run has been stopped
    tell_activity(wait, time_);
  }
}

// A command whose times are known when it is issued has kept the pipe.
void pipe::tell_passed(const command_t &command, uint64_t begin) const {
  for (watcher *w : services_.watchers) {
    w->began(track(), command, begin);
    w->ended(track(), command, time_);
  }
}

// The wait, barrier or SYNC_ALL at the front is over; cause: what it waited for.
void pipe::tell_waited(uint64_t begin, const pipe_cause &cause) const {
  tell_passed(front().command, begin);
  for (watcher *w : services_.watchers) {
    soc_command_t wait = record_front(begin);
    wait.cause_track = cause.track;
    wait.cause_number = cause.number;
    wait.cause_done = cause.done;
    w->done(wait);
  }
}

// --- a check ----------------------------------------------------------------------------------

// The engine takes an ATTN while earlier ones are still in it: what they write may not be read yet.
bool pipe::check_in_flight(const command_t &command) {
  if (command.header.opcode_ != OP_ATTN) {
    return true;
  }
  core_access_t mine[CORE_MAX_ACCESSES], theirs[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, mine);
  for (size_t f = 0; f < in_flight_.size(); ++f) {
    const size_t others = core_accesses(&in_flight_[f].what.command, theirs);
    for (size_t i = 0; i < count * others; ++i) {
      const core_access_t &read = mine[i / others];
      const core_access_t &written = theirs[i % others];
      if (!read.write && written.write && read.space == written.space && accesses_overlap(read, written) &&
          !services_.effects.check_overlap(read.space, command, in_flight_[f].what.command)) {
        return false;
      }
    }
  }
  return true;
}

void pipe::report(uint64_t total, soc_pipe_t &out) const {
  std::snprintf(out.core, sizeof out.core, "%s", services_.core.c_str());
  out.pipe = core_pipe_name(id_);
  out.commands = popped_;
  out.busy = spent_[BUSY];
  for (unsigned a = EMPTY; a < ACTIVITIES; ++a) {
    // After its last command it is empty to the end of the run.
    const uint64_t cycles = spent_[a] + (a == EMPTY && total > time_ ? total - time_ : 0);
    if (a != BUSY && cycles > 0) {
      out.stall[out.stalls++] = {kActivityNames[a], cycles};
    }
  }
}

}  // namespace soc
