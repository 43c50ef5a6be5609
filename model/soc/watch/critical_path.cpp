// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/critical_path.h"

#include <algorithm>
#include <cstdio>

#include "host/files.h"
#include "soc/scalar/source_line.h"

namespace soc {
namespace {

bool is_wait(const soc_command_t &c) { return core_command_waits(c.command.header.opcode_); }

}  // namespace

const char *const critical_path::kWhat[] = {"busy", "banks", "latency", "flag", "scalar", "launch", "data", "buffer"};

// --- launches ---------------------------------------------------------------------------------

void critical_path::add_core(const watched_core &core) {
  const auto end = static_cast<unsigned>(core.first_track + core.pipes.size());
  for (const unsigned id : core.pipes) {
    pipes_.push_back({core.kind, id, core.first_track, end, 0});
  }
}

void critical_path::launched(unsigned firmware) {
  firmware_ = firmware;
  for (unsigned track = 0; track < pipes_.size(); ++track) {
    pipes_[track].first = recorded_.end(track);
  }
}

void critical_path::launch_over(uint64_t begin, uint64_t end) {
  total_ += end - begin;
  for (unsigned track = 0; track < pipes_.size(); ++track) {
    const soc_command_t *last = last_effect(track);
    if (last != nullptr && last->done == end) {
      return walk(*last, begin);
    }
  }
}

// A pipe may end with a wait, which has no effect.
const soc_command_t *critical_path::last_effect(unsigned track) const {
  if (recorded_.end(track) == pipes_[track].first) {
    return nullptr;
  }
  const soc_command_t &last = recorded_.at(track, recorded_.end(track) - 1);
  return is_wait(last) ? effect_before(last) : &last;
}

// --- a command's neighbours -------------------------------------------------------------------

const soc_command_t *critical_path::command_before(const soc_command_t &c) const {
  return c.number > pipes_[c.track].first ? &recorded_.at(c.track, c.number - 1) : nullptr;
}

// The last command before it in its pipe that took effect: effects come in order.
const soc_command_t *critical_path::effect_before(const soc_command_t &c) const {
  const soc_command_t *before = command_before(c);
  while (before != nullptr && is_wait(*before)) {
    before = command_before(*before);
  }
  return before;
}

// Number of a pipe's first command that its scalar core has not pushed before the order-th.
uint64_t critical_path::first_pushed(unsigned track, uint64_t order) const {
  uint64_t low = pipes_[track].first, high = recorded_.end(track);
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (recorded_.at(track, middle).order < order) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The command that its scalar core pushed before it, to whichever pipe.
const soc_command_t *critical_path::push_before(const soc_command_t &c) const {
  const pipe_log &own = pipes_[c.track];
  for (unsigned track = own.first_track; c.order > 0 && track < own.end_track; ++track) {
    const uint64_t number = first_pushed(track, c.order - 1);
    if (number < recorded_.end(track) && recorded_.at(track, number).order + 1 == c.order) {
      return &recorded_.at(track, number);
    }
  }
  return nullptr;
}

// What a barrier waits for: the last effect before it, of its pipe or, in the program itself, of all pipes of its core.
const soc_command_t *critical_path::held_by(const soc_command_t &barrier) const {
  const pipe_log &own = pipes_[barrier.track];
  if (own.id != PIPE_S || barrier.command.header.opcode_ != OP_PIPE_BARRIER) {
    return effect_before(barrier);
  }
  const soc_command_t *last = nullptr;
  for (unsigned track = own.first_track; track < own.end_track; ++track) {
    const uint64_t number = first_pushed(track, barrier.order);
    const soc_command_t *before = number > pipes_[track].first ? &recorded_.at(track, number - 1) : nullptr;
    before = before != nullptr && is_wait(*before) ? effect_before(*before) : before;
    last = last == nullptr || (before != nullptr && before->done > last->done) ? before : last;
  }
  return last;
}

critical_path::cause critical_path::cause_of(const soc_command_t &c, what kind) const {
  const pipe_log &l = pipes_[c.track];
  return {l.kind, l.id, static_cast<unsigned>(kind), c.command.header.opcode_, firmware_, c.command.header.pc_};
}

// --- the way back -----------------------------------------------------------------------------

// Time never goes forward on the way.
void critical_path::move(position &p, const soc_command_t &to, step next, uint64_t time) {
  p = {&to, next, std::min(p.time, time)};
}

// Time goes back from p.time to `since`.
void critical_path::link(const position &p, what kind, uint64_t since) {
  sum &s = links_[cause_of(*p.at, kind)];
  s.cycles += p.time - std::min(since, p.time);
  s.times += 1;
}

void critical_path::from_done(position &p) {
  const soc_command_t &c = *p.at;
  const soc_command_t *before = effect_before(c);
  if (c.done > c.ready && before != nullptr) {
    return move(p, *before, DONE, before->done);
  }
  if (p.time > c.end) {
    link(p, LATENCY, c.end);
  }
  move(p, c, FREE, c.end);
}

void critical_path::from_free(position &p) {
  const soc_command_t &c = *p.at;
  if (is_wait(c)) {
    return from_wait(p);
  }
  if (const uint64_t banks = core_bank_conflicts(&config_, &c.command)) {
    const uint64_t since = p.time - std::min(banks, p.time - std::min(c.begin, p.time));
    link(p, BANKS, since);
    p.time = since;
  }
  link(p, BUSY, c.begin);
  move(p, c, START, c.begin);
}

void critical_path::note_wait(const soc_command_t &wait) {
  const bool back = wait.command.header.opcode_ == OP_WAIT_FLAG && wait.command.wait_flag.from > pipes_[wait.track].id;
  sum &s = waits_[cause_of(wait, back ? BUFFER : DATA)];
  s.cycles += wait.end - wait.begin;
  s.times += 1;
}

void critical_path::from_wait(position &p) {
  const soc_command_t &c = *p.at;
  if (c.end <= c.begin) {
    p.next = START;  // it did not wait
    return;
  }
  note_wait(c);
  const core_class_t wait = core_command_class(c.command.header.opcode_);
  if (wait == CLASS_BARRIER || wait == CLASS_LOOK) {
    return from_barrier(p);
  }
  if (c.command.header.opcode_ == OP_AWAIT && c.cause_done <= c.begin) {  // the time is its read's
    link(p, FLAG, c.begin);
    return move(p, c, START, c.begin);
  }
  const soc_command_t &last = recorded_.at(c.cause_track, c.cause_number);
  if (wait == CLASS_SYNC) {
    return from_sync_all(p, last);
  }
  link(p, FLAG, last.done);
  move(p, last, DONE, last.done);
}

void critical_path::from_barrier(position &p) {
  const soc_command_t &c = *p.at;
  const soc_command_t *before = held_by(c);
  const bool waited = before != nullptr && before->done > c.begin;
  const uint64_t since = waited ? before->done : c.begin;
  link(p, FLAG, since);
  waited ? move(p, *before, DONE, since) : move(p, c, START, since);
}

// last: the SYNC_ALL of the pipe that came last, which was when all it did before was done.
void critical_path::from_sync_all(position &p, const soc_command_t &last) {
  const soc_command_t *before = effect_before(last);
  const bool effect = before != nullptr && before->done > last.begin;
  const uint64_t since = effect ? before->done : last.begin;
  link(p, FLAG, since);
  move(p, effect ? *before : last, effect ? DONE : START, since);
}

void critical_path::from_start(position &p) {
  const soc_command_t &c = *p.at;
  const soc_command_t *before = command_before(c);
  if (before == nullptr || c.pushed > before->end) {
    return move(p, c, PUSHED, c.pushed);
  }
  if (p.time > before->end) {  // an instruction that waited for results of the one before
    link(p, FLAG, before->end);
  }
  move(p, *before, FREE, before->end);
}

void critical_path::from_push(position &p, uint64_t launch) {
  const soc_command_t &c = *p.at;
  if (c.pushed > c.issued && c.number - pipes_[c.track].first >= config_.scalar.queue_depth) {
    // It waited for the command whose place in the queue it got.
    const soc_command_t &left = recorded_.at(c.track, c.number - config_.scalar.queue_depth);
    return move(p, left, FREE, left.end);
  }
  const soc_command_t *before = push_before(c);
  if (before == nullptr) {
    link(p, LAUNCH, launch);
    return move(p, c, OVER, launch);
  }
  if (core_holds_program(&before->command)) {  // which held the scalar core
    link(p, SCALAR, before->end);
    return move(p, *before, FREE, before->end);
  }
  link(p, SCALAR, before->pushed);
  move(p, *before, PUSHED, before->pushed);
}

void critical_path::walk(const soc_command_t &last, uint64_t launch) {
  position p = {&last, DONE, last.done};
  while (p.next != OVER) {
    switch (p.next) {
      case DONE:
        from_done(p);
        break;
      case FREE:
        from_free(p);
        break;
      case START:
        from_start(p);
        break;
      default:
        from_push(p, launch);
    }
  }
}

// --- the file ---------------------------------------------------------------------------------

bool critical_path::write(const std::string &path, source_lines &lines) const {
  FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return false;
  }
  const auto list = [&](const char *name, const std::map<cause, sum> &sums) {
    std::fprintf(file, "\"%s\":[", name);
    const char *comma = "\n";
    for (const auto &[c, s] : sums) {
      std::fprintf(file,
                   "%s{\"core\":\"%s\",\"pipe\":\"%s\",\"what\":\"%s\",\"command\":\"%s\","
                   "\"line\":\"%s\",\"cycles\":%llu,\"times\":%llu}",
                   comma, core_kind_name(c.kind), core_pipe_name(c.pipe), kWhat[c.what], core_command_name(c.opcode),
                   lines.find_use(c.pc, c.firmware).c_str(), static_cast<unsigned long long>(s.cycles),
                   static_cast<unsigned long long>(s.times));
      comma = ",\n";
    }
    std::fprintf(file, "]");
  };
  std::fprintf(file, "{\"cycles\":%llu,\n", static_cast<unsigned long long>(total_));
  list("links", links_);
  std::fprintf(file, ",\n");
  list("waits", waits_);
  std::fprintf(file, "}\n");
  return host_close_written(file);
}

}  // namespace soc
