// SPDX-License-Identifier: Apache-2.0
#include "soc/inspect/waits.h"

namespace soc {
namespace {

std::string at_cycle(uint64_t cycle) { return "cycle " + std::to_string(cycle); }

std::string pipe_name(const core_unit &core, const pipe &p) { return core.name() + " " + core_pipe_name(p.id()); }

std::string plural(uint64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

// --- flags --------------------------------------------------------------------------------------

// A pipe runs ahead of the others as long as nothing holds it up, and raises flags there.
std::string waits::up_since(uint64_t cycle) const {
  return (cycle > cycle_ ? ": will be up at " : ": up since ") + at_cycle(cycle);
}

std::string waits::flags(core_unit &core) const {
  std::string text;
  core.flags().for_each_raised([&](unsigned from, const flag_board::raised &flag, size_t sets) {
    text += core.name() + "  " + core_pipe_name(from) + " to " + core_pipe_name(flag.setter.to) + ", event " +
            std::to_string(flag.setter.event) + up_since(flag.cycle) + (sets > 1 ? ", and set again" : "") + ", " +
            sim_.lines.find(flag.setter.pc_) + "\n";
  });
  for (const unsigned opcode : {OP_CROSS_SET, OP_PAIR_SET}) {
    core.cross_flags(opcode).for_each_arrival([&](size_t sender, const cross_flag_board::arrival &flag, size_t count) {
      text += core.name() + "  " + (opcode == OP_PAIR_SET ? "pair flag " : "cross flag ") +
              std::to_string(flag.setter.flag) + " from " + core.sender_name(sender, opcode) + ": " +
              std::to_string(count) + " sent, the first" + up_since(flag.cycle).substr(1) + ", " +
              sim_.lines.find(flag.setter.pc_) + "\n";
    });
  }
  return text;
}

// --- pipes --------------------------------------------------------------------------------------

std::string waits::program_state(core_unit &core) {
  const scalar &program = core.program();
  if (program.halted()) {
    return "its program has ended";
  }
  if (program.is_held()) {
    return "its program waits for a READ_GM or READ_VALUE, or for pipe S";
  }
  if (core.full() != nullptr) {
    return std::string("its program waits for room in the queue of ") + core_pipe_name(core.full()->id());
  }
  return "its program has come to " + at_cycle(program.time());
}

std::string waits::pipes(core_unit &core) const {
  std::string text = core.name() + "  " + program_state(core) + "\n";
  for (const auto &p : core.pipes()) {
    if (!p) {
      continue;
    }
    char line[160];
    const bool waits = p->queued() > 0 && !p->moving();
    std::snprintf(line, sizeof line, "%-10s %-5s %-8s cycle %llu, %s done, %llu queued, %llu in flight",
                  core.name().c_str(), core_pipe_name(p->id()),
                  p->queued() == 0 ? "empty"
                  : waits          ? "waits"
                                   : "busy",
                  static_cast<unsigned long long>(p->time()), plural(p->number(), "command").c_str(),
                  static_cast<unsigned long long>(p->queued()), static_cast<unsigned long long>(p->in_flight()));
    text += line;
    text += p->queued() == 0 ? "\n" : "; at " + text_of(p->queued(0)) + " at " + line_of(p->queued(0)) + "\n";
  }
  return text;
}

// --- why ----------------------------------------------------------------------------------------

// The cores that have not come to a SYNC_ALL of this pipe.
std::string waits::sync_state(const core_unit &core, const pipe &p) const {
  std::string missing;
  unsigned count = 0;
  for (const core_unit *c : cores()) {
    if (c->kind() == core.kind() && !c->pipes()[p.id()]->syncing()) {
      missing += ++count <= 4 ? " " + c->name() : count == 5 ? " ..." : "";
    }
  }
  return count == 0 ? "all have come" : std::to_string(count) + " have not come:" + missing;
}

// The pipe that is to set a flag, and how far it is from that.
void waits::follow_flag(core_unit &core, const pipe &p, unsigned depth, std::string &text) {
  const cmd_wait_flag_t &wait = p.queued(0).wait_flag;
  const pipe &from = *core.pipes()[wait.from];
  size_t before = 0;
  while (before < from.queued() &&
         !(from.queued(before).header.opcode_ == OP_SET_FLAG && from.queued(before).set_flag.to == p.id() &&
           from.queued(before).set_flag.event == wait.event)) {
    ++before;
  }
  text += "waits for flag " + std::to_string(wait.event) + " of " + core_pipe_name(wait.from) + ", " +
          line_of(p.queued(0)) + "\n";
  text += std::string(2 * depth + 2, ' ') +
          (before == from.queued() ? "no SET_FLAG of it has been pushed"
                                   : plural(before, "command") + " before its SET_FLAG") +
          ": ";
  follow(core, from, depth + 1, text);
}

void waits::follow_cross(core_unit &core, const pipe &p, unsigned depth, std::string &text) {
  const command_t &wait = p.queued(0);
  const unsigned opcode = wait.header.opcode_;
  const unsigned set = opcode == OP_PAIR_WAIT ? OP_PAIR_SET : OP_CROSS_SET;
  text += "waits for cross flag " + std::to_string(wait.cross_wait.flag) + ", " + line_of(wait) + "\n";
  for (size_t sender = 0; sender < core.cross_flags(set).senders(); ++sender) {
    if (core.cross_flags(set).has_come(wait.cross_wait.flag, sender)) {
      continue;
    }
    core_unit &from = this->core(core.sender_name(sender, set));
    const pipe *setter = nullptr;
    size_t before = 0;
    for (const auto &other : from.pipes()) {
      for (size_t i = 0; other && setter == nullptr && i < other->queued(); ++i) {
        const command_t &c = other->queued(i);
        if (c.header.opcode_ == set && c.cross_set.flag == wait.cross_wait.flag) {
          setter = other.get();
          before = i;
        }
      }
    }
    text += std::string(2 * depth + 2, ' ') + "not from " + from.name() + ": ";
    if (setter == nullptr) {
      text += "no " + std::string(core_command_name(set)) + " of it has been pushed; " + program_state(from) + "\n";
    } else {
      text += plural(before, "command") + " before its " + core_command_name(set) + ": ";
      follow(from, *setter, depth + 1, text);
    }
  }
}

void waits::follow(core_unit &core, const pipe &p, unsigned depth, std::string &text) {
  text += pipe_name(core, p) + " ";
  if (!explained_.insert(&p).second) {
    text += "is above\n";
    return;
  }
  if (p.queued() == 0) {
    text += p.in_flight() == 0 ? "has no command; " + program_state(core) + "\n"
                               : "has " + plural(p.in_flight(), "command") + " in flight and none queued; " +
                                     program_state(core) + "\n";
    return;
  }
  const command_t &front = p.queued(0);
  const unsigned opcode = front.header.opcode_;
  const core_class_t how = core_command_class(opcode);
  if (how == CLASS_FLAG_WAIT && core.flags().peek(p.id(), front.wait_flag) == nullptr) {
    return follow_flag(core, p, depth, text);
  }
  if (opcode == OP_AWAIT && p.moving()) {
    text += "waits for a word, " + text_of(front) + " at " + line_of(front) + "\n";
    return;
  }
  if (how == CLASS_CROSS_WAIT && opcode != OP_AWAIT && !core.cross_flags(opcode).ready_at(front.cross_wait.flag)) {
    return follow_cross(core, p, depth, text);
  }
  if (how == CLASS_SYNC && p.syncing()) {
    text += "waits at a SYNC_ALL, " + line_of(front) + ": " + sync_state(core, p) + "\n";
  } else if ((how == CLASS_BARRIER || how == CLASS_SYNC || how == CLASS_LOOK) && p.in_flight() > 0) {
    text += std::string("waits in a ") + core_command_name(opcode) + " for " + plural(p.in_flight(), "command") +
            " in flight, " + line_of(front) + "\n";
  } else {
    text += std::string(p.moving() ? "is busy with " : "is about to begin ") + text_of(front) + " at " +
            line_of(front) + "\n";
  }
}

std::string waits::why(core_unit &core) {
  std::string text;
  for (const auto &p : core.pipes()) {
    if (p && !p->idle() && explained_.count(p.get()) == 0) {
      follow(core, *p, 0, text);
    }
  }
  const bool over = text.empty() && core.program().halted();
  return over ? "" : text + core.name() + " " + program_state(core) + "\n";
}

}  // namespace soc
