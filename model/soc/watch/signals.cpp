// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/signals.h"

#include <algorithm>
#include <cmath>

namespace soc {
namespace {

enum {
  RATE_BITS = 16,
  QUEUE_BITS = 12,
  NUMBER_BITS = 32,
  STATE_BITS = 3,
  OPCODE_BITS = 6,
  BYTES_BITS = 24,
  COUNT_BITS = 5,
  MOVES_BITS = 16,
  BEATS_BITS = 16
};
static_assert(OP_COUNT < 1 << OPCODE_BITS, "opcodes, and none");

// 0 is no command.
const char *const kOpcodes[] = {"-",
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) #NAME,
#include "hal/commands.def"
                                nullptr};
const char *const kScalarStates[] = {"halted", "running", "blocked", nullptr};

}  // namespace

// --- names ------------------------------------------------------------------------------------

void signals::add_core(const watched_core &core) {
  core_signals &to = cores_.emplace_back();
  to.name = core.name;
  to.scalar = trace_.add_signal(core.name + ".scalar.state", 2, kScalarStates);
  add_flags(to, core);
  add_memories(to, core);
  for (const unsigned id : core.pipes) {
    const std::string scope = core.name + "." + lower(core_pipe_name(id)) + ".";
    pipes_.push_back({core.number, trace_.add_signal(scope + "state", STATE_BITS, kActivityNames),
                      trace_.add_signal(scope + "command", OPCODE_BITS, kOpcodes),
                      trace_.add_signal(scope + "number", NUMBER_BITS), trace_.add_signal(scope + "queue", QUEUE_BITS),
                      trace_.add_signal(scope + "rate", RATE_BITS)});
  }
}

void signals::add_flags(core_signals &to, const watched_core &core) {
  for (const unsigned from : core.pipes) {
    for (const unsigned other : core.pipes) {
      if (from != other) {
        to.flags[from][other] = trace_.add_signal(
            core.name + ".flags." + lower(core_pipe_name(from)) + "_to_" + lower(core_pipe_name(other)), FLAG_EVENTS);
      }
    }
  }
  for (const std::string &sender : core.senders) {
    for (unsigned flag = 0; flag < CROSS_FLAGS; ++flag) {
      to.cross.push_back(trace_.add_signal(core.name + ".cross." + sender + "_" + std::to_string(flag), COUNT_BITS));
    }
  }
}

void signals::add_memories(core_signals &to, const watched_core &core) {
  for (unsigned space = SPACE_GM + 1; space < SPACE_COUNT; ++space) {
    if (core.memory->bytes[space] != 0) {
      const std::string scope = core.name + "." + lower(core_space_name(static_cast<core_space_t>(space)));
      to.reading[space] = trace_.add_signal(scope + ".reading", BYTES_BITS);
      to.writing[space] = trace_.add_signal(scope + ".writing", BYTES_BITS);
    }
  }
}

void signals::add_die(unsigned die) {
  const std::string name = "gm.die" + std::to_string(die);
  dies_.push_back(
      {trace_.add_signal(name + ".moves", MOVES_BITS), trace_.add_real(name + ".hbm"), trace_.add_real(name + ".l2")});
}

void signals::add_slice(unsigned slice) {
  slices_.push_back(trace_.add_signal("gm.slices.slice" + std::to_string(slice), BEATS_BITS));
}

// --- cores and pipes --------------------------------------------------------------------------

void signals::scalar_is(unsigned core, scalar_state state, uint64_t cycle) {
  trace_.set(cores_[core].scalar, cycle, state);
}

void signals::pipe_is(unsigned track, activity what, const command_t *command, uint64_t number, uint64_t cycle) {
  const pipe_signals &p = pipes_[track];
  trace_.set(p.state, cycle, what);
  trace_.set(p.command, cycle, command == nullptr ? 0 : command->header.opcode_ + 1u);
  if (command != nullptr) {
    trace_.set(p.number, cycle, number);
  }
}

void signals::pushed(unsigned track, uint64_t cycle) { trace_.add(pipes_[track].queue, cycle, 1); }

void signals::began(unsigned track, const command_t &command, uint64_t cycle) {
  trace_.command_begins(cores_[pipes_[track].core].name, command, cycle);
  change_accesses(track, command, cycle, 1);
}

void signals::ended(unsigned track, const command_t &command, uint64_t cycle) {
  const pipe_signals &p = pipes_[track];
  trace_.command_ends(cores_[p.core].name, command, cycle);
  trace_.add(p.queue, cycle, -1);
  trace_.set(p.rate, cycle, 0);
  change_accesses(track, command, cycle, -1);
}

void signals::change_accesses(unsigned track, const command_t &command, uint64_t cycle, int sign) {
  const core_signals &core = cores_[pipes_[track].core];
  core_access_t accesses[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, accesses);
  for (size_t i = 0; i < count; ++i) {
    const core_access_t &a = accesses[i];
    const auto bytes = static_cast<int64_t>(a.rows * a.row_bytes);
    trace_.add(a.write ? core.writing[a.space] : core.reading[a.space], cycle, sign * bytes);
  }
}

// --- flags: seen for a cycle at least -----------------------------------------------------------

void signals::flag_up(unsigned core, unsigned from, const cmd_set_flag_t &set, uint64_t up) {
  trace_.add(cores_[core].flags[from][set.to], up, int64_t{1} << set.event);
}

void signals::flag_taken(unsigned core, unsigned to, const cmd_wait_flag_t &wait, uint64_t up, uint64_t taken) {
  trace_.add(cores_[core].flags[wait.from][to], std::max(taken, up + 1), -(int64_t{1} << wait.event));
}

void signals::cross_flag_up(unsigned core, size_t sender, const cmd_cross_set_t &set, uint64_t up) {
  if (set.opcode_ == OP_CROSS_SET) {
    trace_.add(cores_[core].cross[sender * CROSS_FLAGS + set.flag], up, 1);
  }
}

void signals::cross_flag_taken(unsigned core, size_t sender, const cmd_cross_set_t &set, uint64_t up, uint64_t taken) {
  if (set.opcode_ == OP_CROSS_SET) {
    trace_.add(cores_[core].cross[sender * CROSS_FLAGS + set.flag], std::max(taken, up + 1), -1);
  }
}

// --- memory -----------------------------------------------------------------------------------

void signals::bandwidth(unsigned die, const die_load &load, uint64_t cycle) {
  for (const die_load::move &move : load.moves) {
    trace_.set(pipes_[move.track].rate, cycle, static_cast<uint64_t>(std::lround(move.rate)));
  }
  trace_.set(dies_[die].moves, cycle, load.moves.size());
  trace_.set_real(dies_[die].hbm, cycle, load.hbm);
  trace_.set_real(dies_[die].l2, cycle, load.l2);
}

void signals::beats_wait(unsigned slice, int64_t more, uint64_t cycle) { trace_.add(slices_[slice], cycle, more); }

}  // namespace soc
