// SPDX-License-Identifier: Apache-2.0
#include "soc/pipe.h"

#include <algorithm>

#include "core/core.h"
#include "soc/core_unit.h"
#include "soc/interrupt.h"

namespace soc {

const char *const pipe::kActivityName[ACTIVITIES] = {"busy", "empty", "flag", "cross_flag",
                                                     "barrier"};

pipe::pipe(sc_core::sc_module_name name, core_unit &core, unsigned id)
    : sc_module(name),
      core_(core),
      sim_(core.sim()),
      id_(id),
      agent_(sim_.races.add_agent(core.name())),
      track_(sim_.events.add_track(core.name(), id)),
      host_seconds_(id == PIPE_M   ? &sim_.result.matmul_seconds
                    : id == PIPE_V ? &sim_.result.vector_seconds
                                   : &sim_.result.copy_seconds) {
  ++sim_.syncs[core.kind() * PIPE_COUNT + id].members;
  SC_HAS_PROCESS(pipe);
  SC_THREAD(issue);
  SC_THREAD(retire);
}

void pipe::push(const command_t &command) {
  while (queue_.size() >= sim_.config.scalar.queue_depth) {
    sc_core::wait(popped_);
  }
  queue_.push_back(command);
  pushed_.notify();
}

void pipe::become(activity next) {
  spent_[activity_] += now() - since_;
  activity_ = next;
  since_ = now();
}

void pipe::issue() {
  for (;;) {
    while (queue_.empty()) {
      become(EMPTY);
      wait(pushed_);
    }
    if (interrupted()) {
      sim_.stop(SOC_INTERRUPTED, "interrupted");
    }
    issue_command(queue_.front());
    if (sim_.stopped()) {
      return;
    }
    ++commands_;
    queue_.pop_front();
    popped_.notify();
  }
}

void pipe::issue_command(const command_t &command) {
  const uint64_t begin = now();
  switch (command.header.opcode_) {
    case OP_WAIT_FLAG:
      wait_flag(command.wait_flag);
      break;
    case OP_CROSS_WAIT:
      cross_wait(command.cross_wait);
      break;
    case OP_PIPE_BARRIER:
      barrier(command);
      break;
    case OP_SYNC_ALL:
      sync_all(command);
      break;
    default:
      return issue_data(command);   // goes into the timeline when it completes
  }
  sim_.events.add(track_, commands_, command, begin, now(), now());
}

void pipe::wait_flag(const cmd_wait_flag_t &command) {
  std::optional<vector_clock> clock;
  while (!(clock = core_.flags().take(id_, command))) {
    become(FLAG);
    wait(core_.flags().raised(id_));
  }
  sim_.races.acquire(agent_, *clock);
}

void pipe::cross_wait(const cmd_cross_wait_t &command) {
  cross_flag_board &board = core_.cross_flags();
  for (;;) {
    const std::optional<uint64_t> ready = board.ready_at(command.flag);
    if (ready && *ready <= now()) {
      break;
    }
    become(CROSS_FLAG);
    if (ready) {
      wait(cycles(*ready - now()), board.changed());
    } else {
      wait(board.changed());
    }
  }
  for (const vector_clock &clock : board.take(command.flag)) {
    sim_.races.acquire(agent_, clock);
  }
}

void pipe::barrier(const command_t &command) {
  while (!in_flight_.empty()) {
    become(BARRIER);
    wait(retired_);
  }
  become(BARRIER);
  wait(cycles(core_cycles(core_.kind(), &sim_.config, &command)));
}

void pipe::sync_all(const command_t &command) {
  barrier(command);
  auto &sync = sim_.syncs[core_.kind() * PIPE_COUNT + id_];
  sim_.races.begin(agent_);
  const vector_clock mine = sim_.races.release(agent_);
  if (sync.arrived == 0) {
    sync.clock.assign(mine.size(), 0);
  }
  for (size_t i = 0; i < mine.size(); ++i) {
    sync.clock[i] = std::max(sync.clock[i], mine[i]);
  }
  become(BARRIER);
  if (++sync.arrived == sync.members) {
    sync.arrived = 0;
    sync.complete.notify();
  } else {
    wait(sync.complete);
  }
  sim_.races.acquire(agent_, sync.clock);
  wait(cycles(config_cycles(&sim_.config, sim_.config.soc.cross_flag_us)));
}

// Commands that move or compute data, and the sets of flags, which follow them in order.
void pipe::issue_data(const command_t &command) {
  const unsigned opcode = command.header.opcode_;
  const bool sets_flag = opcode == OP_SET_FLAG || opcode == OP_CROSS_SET;
  flight f{command, commands_, now(), 0, 0, nullptr, {}};
  bool cold = false;
  become(BUSY);
  sim_.races.begin(agent_);
  if (sets_flag) {
    f.clock = sim_.races.release(agent_);
  } else if (!check_accesses(command, cold)) {
    return;
  }
  const uint64_t duration = core_cycles(core_.kind(), &sim_.config, &command);
  const bool atomic = (opcode == OP_FIXPIPE && command.fixpipe.op != GM_STORE) ||
                      (opcode == OP_COPY_OUT && command.copy_out.op != GM_STORE);
  if (atomic) {
    f.transfer = core_.gm().start_atomic(core_.memory(), command, duration);
  }
  wait(cycles(duration));
  f.end = now();
  f.ready = now() + latency(command, cold);
  launch(std::move(f));
}

// Checks what a command touches against the arrays and the race detector, and books its traffic.
// cold: some of it must come from HBM.
bool pipe::check_accesses(const command_t &command, bool &cold) {
  core_access_t accesses[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, accesses);
  for (size_t i = 0; i < count; ++i) {
    const core_access_t &access = accesses[i];
    if (access.space == SPACE_GM) {
      if (auto error = core_.gm().check(access)) {
        sim_.stop(SOC_STOPPED, "out of bounds: " + *error + ": " +
                                   sim_.describe(core_.name(), command));
        return false;
      }
      if (access.write) {
        core_.gm().write(access);
      } else {
        cold = core_.gm().read(access) > 0 || cold;
      }
    }
    if (!sim_.options.race_check) {
      continue;
    }
    if (auto old = sim_.races.access(core_.races(access.space), agent_, access, command)) {
      const char *space = core_space_name(access.space);
      sim_.stop(SOC_STOPPED,
                std::string("race in ") + space + ": no flag orders " +
                    sim_.describe(core_.name(), command) + " after " +
                    sim_.describe(sim_.races.core_of(old->agent), old->command));
      return false;
    }
  }
  return true;
}

uint64_t pipe::latency(const command_t &command, bool cold) const {
  const config_gm_t &gm = sim_.config.gm;
  switch (command.header.opcode_) {
    case OP_LOAD_NZ:
    case OP_COPY_IN:
      return config_cycles(&sim_.config, gm.l2_latency_us + (cold ? gm.hbm_latency_us : 0));
    case OP_FIXPIPE:
    case OP_COPY_OUT:
      return config_cycles(&sim_.config, gm.write_latency_us);
    case OP_SET_FLAG:
    case OP_CROSS_SET:
      return id_ == PIPE_V ? sim_.config.vector.drain : 0;
    default:
      return 0;
  }
}

void pipe::launch(flight f) {
  in_flight_.push_back(std::move(f));
  launched_.notify();
}

void pipe::retire() {
  for (;;) {
    while (in_flight_.empty()) {
      wait(launched_);
    }
    flight &f = in_flight_.front();
    if (f.transfer) {
      while (f.transfer->pending > 0) {
        wait(f.transfer->done);
      }
      // The write latency counts from the last beat.
      f.ready = std::max(f.ready, now() + latency(f.command, false));
    }
    if (f.ready > now()) {
      wait(cycles(f.ready - now()));
    }
    complete(f);
    if (sim_.stopped()) {
      return;
    }
    finish_ = now();
    sim_.events.add(track_, f.number, f.command, f.begin, f.end, now());
    in_flight_.pop_front();
    retired_.notify();
  }
}

void pipe::complete(const flight &f) {
  switch (f.command.header.opcode_) {
    case OP_SET_FLAG:
      return set_flag(f);
    case OP_CROSS_SET:
      return core_.cross_set(f.command.cross_set, f.clock);
    default:
      break;
  }
  if (f.transfer) {
    return;   // the slices have done it
  }
  stopwatch watch(*host_seconds_);
  core_execute(&core_.memory(), &f.command);
  sim_.result.flops += core_flops(&f.command);
}

void pipe::set_flag(const flight &f) {
  if (!core_.flags().set(id_, f.command.set_flag, f.clock)) {
    sim_.stop(SOC_STOPPED, "flag is up already, a wait is missing: " +
                               sim_.describe(core_.name(), f.command));
  }
}

void pipe::report(uint64_t total, soc_pipe_t &out) const {
  uint64_t spent[ACTIVITIES];
  std::copy(std::begin(spent_), std::end(spent_), spent);
  // What it has been doing since, up to the end of the run.
  spent[activity_] += total > since_ ? total - since_ : 0;
  std::snprintf(out.core, sizeof out.core, "%s", core_.name().c_str());
  out.pipe = core_pipe_name(id_);
  out.commands = commands_;
  out.busy = spent[BUSY];
  for (unsigned a = EMPTY; a < ACTIVITIES; ++a) {
    if (spent[a] > 0) {
      out.stall[out.stalls++] = {kActivityName[a], spent[a]};
    }
  }
}

}  // namespace soc
