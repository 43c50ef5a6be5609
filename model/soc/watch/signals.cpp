// The signals of cores and pipes in waveforms: their names, and when they change (waves.h).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/core.h"
#include "soc/cores/core_unit.h"
#include "soc/cores/machine.h"
#include "soc/cores/pipe.h"

namespace soc {
namespace {

enum { RATE_BITS = 16, QUEUE_BITS = 12, NUMBER_BITS = 32, STATE_BITS = 3, OPCODE_BITS = 6,
       BYTES_BITS = 24, COUNT_BITS = 5 };
static_assert(OP_COUNT < 1 << OPCODE_BITS, "opcodes, and none");

// 0 is no command.
const char *const kOpcodes[] = {"-",
#define COMMAND(NAME, name, pipes, text) #NAME,
#define FIELD(type, name, text)
#define END_COMMAND(name)
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND
                                nullptr};
const char *const kPipeStates[] = {"empty", "busy", "flag", "cross_flag", "barrier", nullptr};
const char *const kScalarStates[] = {"halted", "running", "blocked", nullptr};

std::string lower(const char *text) {
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

}  // namespace

// --- pipes ------------------------------------------------------------------------------------

void pipe::declare_signals() {
  const std::string scope = core_.name() + "." + lower(core_pipe_name(id_)) + ".";
  signals_ = {trace_->add_signal(scope + "state", STATE_BITS, kPipeStates),
              trace_->add_signal(scope + "command", OPCODE_BITS, kOpcodes),
              trace_->add_signal(scope + "number", NUMBER_BITS),
              trace_->add_signal(scope + "queue", QUEUE_BITS),
              trace_->add_signal(scope + "rate", RATE_BITS)};
}

// From a cycle on it does this, for its next command unless it has none.
void pipe::show(activity what, uint64_t cycle) const {
  static const unsigned state_of[ACTIVITIES] = {1, 0, 2, 3, 4};
  const bool none = what == EMPTY;
  trace_->set(signals_.state, cycle, state_of[what]);
  trace_->set(signals_.command, cycle, none ? 0 : front().command.header.opcode_ + 1u);
  if (!none) {
    trace_->set(signals_.number, cycle, popped_);
  }
}

// A move that has not begun is shown by run().
void pipe::show_standing() const {
  if (moving_) {
    return;
  }
  if (popped_ == pushed_) {
    return show(EMPTY, time_);
  }
  switch (front().command.header.opcode_) {
    case OP_WAIT_FLAG:
      return show(FLAG, time_);
    case OP_CROSS_WAIT:
      return show(CROSS_FLAG, time_);
    case OP_PIPE_BARRIER:
    case OP_SYNC_ALL:
      return show(BARRIER, time_);
    default:
      return;   // the run has been stopped
  }
}

void pipe::show_rate(uint64_t cycle, double rate) const {
  trace_->set(signals_.rate, cycle, static_cast<uint64_t>(std::lround(rate)));
}

void pipe::show_accesses(const command_t &command, uint64_t cycle, int sign) const {
  core_access_t accesses[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, accesses);
  for (size_t i = 0; i < count; ++i) {
    core_.show_access(accesses[i], cycle, sign);
  }
}

// One whose times are known when it is issued.
void pipe::show_command(const command_t &command, uint64_t begin, uint64_t end) const {
  trace_->command_begins(core_.name(), command, begin);
  trace_->command_ends(core_.name(), command, end);
  show_accesses(command, begin, 1);
  show_accesses(command, end, -1);
}

// --- cores ------------------------------------------------------------------------------------

void core_unit::declare_signals(size_t senders) {
  signals_ = std::make_unique<signals>();
  waves &trace = *sim_.trace;
  signals_->scalar = trace.add_signal(name_ + ".scalar.state", 2, kScalarStates);
  for (unsigned from = 0; from < PIPE_COUNT; ++from) {
    for (unsigned to = 0; to < PIPE_COUNT; ++to) {
      if (from != to && (pipes_of(kind_) >> from & 1) != 0 && (pipes_of(kind_) >> to & 1) != 0) {
        signals_->flags[from][to] =
            trace.add_signal(name_ + ".flags." + lower(core_pipe_name(from)) + "_to_" +
                                 lower(core_pipe_name(to)),
                             FLAG_EVENTS);
      }
    }
  }
  for (size_t sender = 0; sender < senders; ++sender) {
    for (unsigned flag = 0; flag < CROSS_FLAGS; ++flag) {
      signals_->cross.push_back(trace.add_signal(
          name_ + ".cross." + sender_name(sender, OP_CROSS_SET) + "_" + std::to_string(flag), COUNT_BITS));
    }
  }
  for (unsigned space = SPACE_GM + 1; space < SPACE_COUNT; ++space) {
    if (memory_.bytes[space] != 0) {
      const std::string scope = name_ + "." + lower(core_space_name(static_cast<core_space_t>(space)));
      signals_->reading[space] = trace.add_signal(scope + ".reading", BYTES_BITS);
      signals_->writing[space] = trace.add_signal(scope + ".writing", BYTES_BITS);
    }
  }
}

void core_unit::show_flag(unsigned from, unsigned to, unsigned event, uint64_t cycle,
                          int change) const {
  if (signals_) {
    sim_.trace->add(signals_->flags[from][to], cycle, int64_t{change} * (int64_t{1} << event));
  }
}

void core_unit::show_cross_flag(size_t sender, unsigned flag, uint64_t cycle, int change) const {
  if (signals_) {
    sim_.trace->add(signals_->cross[sender * CROSS_FLAGS + flag], cycle, change);
  }
}

void core_unit::show_access(const core_access_t &access, uint64_t cycle, int sign) const {
  const auto bytes = static_cast<int64_t>(access.rows * access.row_bytes);
  sim_.trace->add(access.write ? signals_->writing[access.space] : signals_->reading[access.space],
                  cycle, sign * bytes);
}

}  // namespace soc
