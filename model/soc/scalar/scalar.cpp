// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/scalar.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iterator>

#include "host/interrupt.h"
#include "soc/cores/core_group.h"
#include "soc/scalar/emulator.h"

namespace soc {
namespace {

struct panic_meaning {
  uint64_t code;
  const char *name, *text;
};

// Null: a code of the kernel's own.
const panic_meaning *meaning_of(uint64_t code) {
  static const panic_meaning all[] = {
#define PANIC(name, number, text) {number, #name, text},
#include "hal/panics.def"
#undef PANIC
  };
  const auto *found =
      std::find_if(std::begin(all), std::end(all), [code](const panic_meaning &p) { return p.code == code; });
  return found == std::end(all) ? nullptr : found;
}

std::string panic_message(uint64_t code) {
  const panic_meaning *known = meaning_of(code);
  return known == nullptr ? "firmware panic, code " + std::to_string(code)
                          : std::string("firmware panic ") + known->name + ": " + known->text;
}

// As firmware writes it.
std::string panic_code(uint64_t code) {
  const panic_meaning *known = meaning_of(code);
  return known == nullptr ? std::to_string(code) : std::string("PANIC_") + known->name;
}

}  // namespace

scalar::scalar(const scalar_services &services, std::string firmware, bool pauses)
    : core_(services), sim_(services.sim), firmware_(std::move(firmware)), pauses_(pauses) {}

void scalar::tell(scalar_state state) const {
  for (watcher *w : sim_.watchers) {
    w->scalar_is(core_.number, state, time_);
  }
}

// --- the firmware's side ----------------------------------------------------------------------

// Processor time of the calling thread.
static double processor_seconds() {
  timespec cpu = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  return static_cast<double>(cpu.tv_sec) + static_cast<double>(cpu.tv_nsec) * 1e-9;
}

void scalar::main() {
  since_ = processor_seconds();
  execute();
  end("");
  leave(true);
}

void scalar::stretch() {
  since_ = processor_seconds();
  pausing_ = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    activity_ = RUNNING_NOW;
  }
  if (is_abandoned() || execute()) {
    end("");
    return leave(true);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  seconds_ += processor_seconds() - since_;
  activity_ = RESTING;
  go_on();
  changed_.notify_all();
}

// A program that pauses goes on when half of its batches are left: later, the simulation would wait for it.
// Under mutex_.
void scalar::go_on() {
  if (pauses_ && activity_ == RESTING && !all_handed_over_ && !abandoned_ && ready_.size() <= kBatches / 2) {
    activity_ = WAITING;
    sim_.programs.add(*this);
  }
}

void scalar::leave(bool returns) {
  hand_over();
  if (!log_.empty()) {
    print_log();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  seconds_ += processor_seconds() - since_;
  activity_ = RESTING;
  all_handed_over_ = true;
  returns_ = returns;
  changed_.notify_all();
}

void scalar::end(const std::string &error, soc_status_t status) {
  if (!ended_) {
    ended_ = true;
    std::vector<uint64_t> at = error.empty() ? std::vector<uint64_t>() : calls();
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = error;
    error_status_ = status;
    error_at_ = std::move(at);
  }
}

// An access counts as an instruction: firmware built for the host tells of no others.
void scalar::spend(uint64_t instructions) {
  instructions_ += instructions;
  const uint64_t counted = std::max<uint64_t>(instructions, 1);
  if (is_too_long(counted)) {
    return end_too_long();
  }
  left_ -= counted;
  const double spent = static_cast<double>(instructions) * sim_.config.scalar.cpi;
  cycles_ += static_cast<uint64_t>(spent) + sim_.config.scalar.push_cycles;
}

void scalar::end_too_long() { end(std::string("firmware runs ") + kTooLong); }

void scalar::push(const command_t &command) {
  batch_.push_back({cycles_, core_.port.look_at(command)});
  cycles_ = 0;
  if (core_reads_value(&command)) {
    hand_over();
    hold();
  } else if (batch_.size() == kBatch) {
    hand_over();
  }
}

// The program's thread sleeps until memory is what its READ_GM may see.
void scalar::hold() {
  if (pauses_) {
    sim_.programs.away();
    sim_.emulators->rest();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return released_ || abandoned_; });
  ended_ = ended_ || abandoned_;
  released_ = false;
  lock.unlock();
  if (pauses_) {
    sim_.emulators->resume();
    sim_.programs.back();
  }
}

void scalar::hand_over() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return pauses_ || ready_.size() < kBatches || abandoned_; });
  if (abandoned_) {
    ended_ = true;
    return;
  }
  ready_.push_back(std::move(batch_));
  if (ready_.size() == 1) {  // the simulation may wait for it
    changed_.notify_all();
  }
  pausing_ = pauses_ && ready_.size() >= kBatches;
  batch_ = {};
  if (!spare_.empty()) {
    batch_ = std::move(spare_.back());
    spare_.pop_back();
  }
  batch_.reserve(kBatch);
}

// A line of the firmware's, whole, whatever other cores print.  A terminal is given nothing that it would obey.
void scalar::print_log() {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  std::string text;
  for (const char c : log_) {
    char escaped[8];
    const bool plain = !terminal || (c >= ' ' && c <= '~') || c == '\t';
    std::snprintf(escaped, sizeof escaped, plain ? "%c" : "\\x%02x", static_cast<unsigned char>(c));
    text += escaped;
  }
  std::fprintf(stderr, "%s: %s\n", core_.core.c_str(), text.c_str());
  log_.clear();
}

void scalar::put_character(char c) {
  if (c != '\n') {
    log_ += c;
  }
  if (c == '\n' || log_.size() == kLogLine) {
    print_log();
  }
}

uint64_t scalar::read_register(uint64_t offset) {
  switch (offset) {
    case REG_CORE_KIND:
      return core_.kind;
    case REG_CORE_INDEX:
      return core_.index / sim_.memories();
    case REG_CORE_COUNT:
      return core_kind_groups(core_.kind, &sim_.config.soc) / sim_.memories();
    case REG_DIE_INDEX:
      return core_.index % sim_.memories();
    case REG_DIE_COUNT:
      return sim_.memories();
    case REG_DIE_WINDOW:
      return core_.gm.window();
    case REG_SUB_INDEX:
      return core_.sub;
    case REG_SUB_COUNT:
      return sim_.config.soc.vector_cores;
    case REG_ARGS:
      return GM_BASE;
    case REG_VALUE:
      return value_;
    case REG_PAIR_COUNT:
      return pairing(sim_.config.soc).count;
    case REG_PAIR_INDEX:
      return pairing(sim_.config.soc).pair(core_.index);
    case REG_PAIR_SIDE:
      return pairing(sim_.config.soc).side(core_.index);
    case REG_ENGINE_BLOCKS:
      return sim_.config.engine.blocks;
    case REG_ENGINE_QUERIES:
      return sim_.config.engine.queries;
    case REG_ENGINE_ROWS:
      return core_.buffers.bytes[SPACE_KV];
    case REG_ENGINE_BUFFER:
      return core_.buffers.bytes[SPACE_EB];
    default:
      end("firmware reads register offset " + std::to_string(offset) + ", which cannot be read");
      return 0;
  }
}

void scalar::write_register(uint64_t offset, uint64_t value) {
  switch (offset) {
    case REG_PUSH:
      return push(pushed(value));
    case REG_HALT:
      panic_ = value;
      return end(value == 0 ? "" : panic_message(value));
    case REG_PUTC:
      return put_character(static_cast<char>(value));
    default:
      end("firmware writes register offset " + std::to_string(offset) + ", which cannot be written");
  }
}

// --- the simulation's side --------------------------------------------------------------------

void scalar::start(uint64_t cycle) {
  batch_.clear();
  cycles_ = instructions_ = 0;
  left_ = static_cast<uint64_t>(sim_.config.soc.max_cycles / std::max(sim_.config.scalar.cpi, 0.01));
  error_at_.clear();
  panic_ = 0;
  ended_ = all_handed_over_ = returns_ = released_ = counted_ = halted_ = held_ = false;
  abandoned_ = false;
  ready_.clear();
  taken_.clear();
  next_ = 0;
  error_.clear();
  seconds_ = 0;
  const unsigned started = sim_.options.cube_only ? 1 : 1 + sim_.config.soc.vector_cores;  // of an AI core
  const unsigned before = core_.index / sim_.memories();                                   // AI cores, on this die
  time_ = cycle + config_cycles(&sim_.config, sim_.config.soc.launch_us + before * started * sim_.config.soc.skew_us);
  tell(RUNNING);
  begin();
  if (!pauses_) {
    thread_ = std::thread(&scalar::main, this);
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  activity_ = RESTING;
  go_on();
}

std::string scalar::question(const std::string &request) {
  const questions::handle asked = sim_.questions.ask(core_.core, request);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    changed_.notify_all();
  }
  return sim_.questions.wait(asked, [this] { return is_abandoned(); });
}

// More steps; false: there are none, the program has ended.  A program that neither pushes nor ends
// can be interrupted.
bool scalar::fetch() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto there = [this] { return !ready_.empty() || all_handed_over_; };
  questions &asked = sim_.questions;
  if (!there() && activity_ == WAITING) {
    sim_.programs.prefer(*this);
  }
  while (!there()) {
    const auto called = [&] { return there() || asked.any(core_.core); };
    const bool in_time = changed_.wait_for(lock, std::chrono::milliseconds(100), called);
    if (asked.any() && !there()) {  // in time: by this core's debugger; else by another's, which this one holds up
      lock.unlock();
      asked.serve();
      lock.lock();
    } else if (!in_time && host_interrupted()) {
      sim_.stop(SOC_INTERRUPTED, "interrupted");
      return false;
    } else if (!in_time && activity_ == WAITING) {
      sim_.programs.insist(*this);
    }
  }
  if (ready_.empty()) {
    return false;
  }
  taken_.clear();
  spare_.push_back(std::move(taken_));
  taken_ = std::move(ready_.front());
  ready_.pop_front();
  next_ = 0;
  if (ready_.size() == kBatches / 2) {  // not for each: a program that is woken is to have something to do
    changed_.notify_all();
  }
  go_on();
  return true;
}

// Pushes without events: nobody else would have a turn, and their effects would pile up.  True: goes on when
// the machine has caught up.
bool scalar::is_far_ahead() {
  if (sim_.clock.taken() != event_) {
    event_ = sim_.clock.taken();
    ahead_ = 0;
  }
  if (++ahead_ <= kAhead) {
    return false;
  }
  ahead_ = 0;
  sim_.clock.at(std::max(time_, sim_.clock.now()), *this);
  return true;
}

void scalar::release(uint64_t cycle) {
  held_ = false;
  time_ = std::max(time_, cycle);
  tell(RUNNING);
  sim_.clock.wake(*this);
}

void scalar::release(uint64_t cycle, uint64_t value) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    released_ = true;
    value_ = value;
    changed_.notify_all();
  }
  release(cycle);
}

void scalar::run(uint64_t) {
  while (!halted_ && !held_ && !sim_.stopped()) {
    if (next_ == taken_.size()) {
      if (!fetch()) {
        return finish();
      }
      continue;
    }
    const step &s = taken_[next_];
    time_ += counted_ ? 0 : s.cycles;
    counted_ = true;
    const uint64_t ready = time_;
    if (!core_.port.push(s.pushed, time_)) {
      tell(BLOCKED);
      return;  // the queue is full
    }
    if (time_ != ready) {
      tell(RUNNING);
    }
    if (time_ > sim_.deadline) {
      return sim_.stop(SOC_STOPPED, std::string("the kernel takes ") + kTooLong + ": " +
                                        sim_.describe(core_.core, s.pushed.command));
    }
    counted_ = false;
    ++next_;
    held_ = core_holds_program(&s.pushed.command);
    if (held_) {
      return tell(BLOCKED);
    }
    if (is_far_ahead()) {
      return;
    }
  }
}

void scalar::finish() {
  if (sim_.stopped()) {
    return;
  }
  halted_ = true;
  tell(HALTED);
  sim_.result.scalar_instructions += instructions_;
  sim_.result.scalar_seconds += seconds_;
  if (!error_.empty()) {
    source_lines &lines = sim_.lines;
    const std::string text = panic_ == 0 ? "" : lines.panic_text(error_at_, panic_code(panic_));
    sim_.stop(error_status_, core_.core + " " + error_ + text + lines.backtrace(error_at_));
  }
}

// An emulated program stops at its next basic block, one of the host at its next access to a register.  A thread of its
// own may be left asleep, to end with the process; a program of the host that does nothing but run in circles is left
// at that.
bool scalar::abandon() {
  constexpr auto kPatience = std::chrono::seconds(1);
  std::unique_lock<std::mutex> lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
  if (activity_ == WAITING && sim_.programs.remove(*this)) {
    activity_ = RESTING;
  }
  const auto is_over = [this] { return pauses_ ? activity_ == RESTING : all_handed_over_ || !thread_.joinable(); };
  const bool over = changed_.wait_for(lock, kPatience, is_over);
  const bool returns = returns_;
  lock.unlock();
  if (thread_.joinable()) {
    returns ? thread_.join() : thread_.detach();
  }
  return over;
}

}  // namespace soc
