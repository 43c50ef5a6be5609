// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/core_unit.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "soc/cores/core_group.h"
#include "soc/races/init_check.h"
#include "soc/races/race_list.h"
#include "soc/watch/dumps.h"
#include "soc/watch/window.h"

namespace soc {
namespace {

// Pipes that reach each memory; the race detector forgets an access when all of them know of it.
const unsigned kPipesAt[SPACE_COUNT] = {
    PIPE_BIT_MTE2 | PIPE_BIT_FIX | PIPE_BIT_MTE3 | PIPE_BIT_LOAD | PIPE_BIT_STORE | PIPE_BIT_S,  // GM
    PIPE_BIT_MTE2 | PIPE_BIT_MTE1 | PIPE_BIT_FIX,                                                // L1
    PIPE_BIT_MTE1 | PIPE_BIT_M,                                                                  // L0A
    PIPE_BIT_MTE1 | PIPE_BIT_M,                                                                  // L0B
    PIPE_BIT_M | PIPE_BIT_FIX,                                                                   // L0C
    PIPE_BIT_MTE2 | PIPE_BIT_V | PIPE_BIT_MTE3 | PIPE_BIT_S,                                     // UB
    PIPE_BIT_LOAD | PIPE_BIT_ATTN,                                                               // KV
    PIPE_BIT_LOAD | PIPE_BIT_ATTN | PIPE_BIT_STORE,                                              // EB
    0,                                                                                           // pair's L1: reach_l1
};

}  // namespace

core_unit::core_unit(core_group &group, core_kind_t kind, unsigned sub, size_t senders)
    : group_(group),
      sim_(group.sim),
      gm_(group.gm),
      kind_(kind),
      sub_(sub),
      number_(sim_.cores++),
      name_(core_name(kind, group.index_of_kind(), sub)),
      cross_flags_(senders),
      pair_flags_(senders),
      services_{name_,
                number_,
                sim_.config,
                sim_.result,
                sim_.watchers,
                sim_.clock,
                group.domain.races,
                group.memory,
                group.die(),
                memory_,
                nullptr,
                flags_,
                cross_flags_,
                pair_flags_,
                pipes_,
                *this,
                sim_.options.auto_sync} {
  add_memories();
  for (size_t i = 0; i < sim_.options.debug.gdb_count; ++i) {
    if (name_ == sim_.options.debug.gdb[i].core) {
      debugger_ = std::make_unique<gdb_server>(name_, sim_.options.debug.gdb[i].port);
    }
  }
  pipes_.resize(PIPE_COUNT);
  for (unsigned id = 0; id < PIPE_COUNT; ++id) {
    if (core_has_pipe(kind, id) && (id != PIPE_S || sim_.options.scalar_pipe)) {
      pipes_[id] = std::make_unique<pipe>(services_, id, sim_.tracks++);
      for (unsigned space = 0; space < SPACE_COUNT; ++space) {
        if ((kPipesAt[space] >> id) & 1u) {
          races(static_cast<core_space_t>(space)).add_agent(pipes_[id]->agent());
        }
      }
    }
  }
  for (watcher *w : sim_.watchers) {
    w->add_core(describe(senders));
  }
}

watched_core core_unit::describe(size_t senders) const {
  watched_core core = {name_, kind_, number_, &memory_, {}, sim_.tracks, {}};
  for (const auto &p : pipes_) {
    if (p) {
      core.first_track = std::min(core.first_track, p->track());
      core.pipes.push_back(p->id());
    }
  }
  for (size_t sender = 0; sender < senders; ++sender) {
    core.senders.push_back(sender_name(sender, OP_CROSS_SET));
  }
  return core;
}

// Keys lie in the Verilog if there is any; its rows are counted all the same.
void core_unit::add_memories() {
  const config_t &config = sim_.config;
  memory_.base[SPACE_GM] = gm_.base();
  memory_.bytes[SPACE_GM] = gm_.bytes();
  switch (kind_) {
    case CORE_CUBE:
      add_memory(SPACE_L1, uint64_t{config.cube.l1_kb} * 1024);
      add_memory(SPACE_L0A, uint64_t{config.cube.l0a_kb} * 1024);
      add_memory(SPACE_L0B, uint64_t{config.cube.l0b_kb} * 1024);
      add_memory(SPACE_L0C, uint64_t{config.cube.l0c_kb} * 1024);
      break;
    case CORE_VECTOR:
      add_memory(SPACE_UB, uint64_t{config.vector.ub_kb} * 1024);
      break;
    default:
      engine_num_ = sim_.options.engine_num;
      engine_num_.blocks = config.engine.blocks;
      engine_num_.rows = config.engine.rows;
      memory_.engine = &engine_num_;
      add_memory(SPACE_KV, engine_num_.rows * engine_num_.d * 2 * sizeof(num_bf16_t));
      memory_.bytes[SPACE_KV] = engine_num_.rows / engine_num_.blocks;
      add_memory(SPACE_EB, uint64_t{config.engine.buffer_kb} * 1024);
      engine_ = make_attention_engine(name_, sim_, memory_);
      services_.engine = engine_.get();
  }
}

void core_unit::reach_l1(core_unit &cube, core_space_t space) {
  l1_of_[space == SPACE_PAIR_L1] = &cube;
  memory_.base[space] = cube.memory_.base[SPACE_L1];
  memory_.bytes[space] = cube.memory_.bytes[SPACE_L1];
  races(space).add_agent(pipes_[PIPE_MTE3]->agent());
}

void core_unit::start(const std::string &firmware, uint64_t cycle) {
  std::unique_ptr<scalar> &program = programs_[firmware];
  if (!program) {
    const scalar_services services = {sim_, gm_,     name_,           kind_, number_, group_.index_of_kind(),
                                      sub_, memory_, debugger_.get(), *this};
    program = sim_.options.firmware == SOC_FIRMWARE_RISCV ? make_scalar_riscv(services, firmware)
                                                          : make_scalar_native(services, firmware);
  }
  scalar_ = program.get();
  for (const auto &p : pipes_) {
    if (p) {
      group_.domain.races.settle(p->agent());
    }
  }
  waited_ = nullptr;
  untold_ = 0;
  sim_.scalar_lines.clean(name_, 0);
  for (race_memory &memory : races_) {
    memory.forget();
  }
  scalar_->start(cycle);
}

race_memory &core_unit::races(core_space_t space) {
  if (space == SPACE_PAIR_L1 || (space == SPACE_L1 && l1_of_[0] != nullptr)) {
    return l1_of_[space == SPACE_PAIR_L1]->races_[SPACE_L1];
  }
  return space == SPACE_GM ? group_.domain.gm_races : races_[space];
}

// Buffers start as 0xFF bytes: reading what was never written shows as NaN.
void core_unit::add_memory(core_space_t space, uint64_t bytes) {
  storage_.emplace_back(new uint8_t[bytes]);
  if (!sim_.options.timing_only) {
    std::memset(storage_.back().get(), 0xFF, bytes);
  }
  memory_.base[space] = storage_.back().get();
  memory_.bytes[space] = bytes;
}

pushed_command core_unit::look_at(const command_t &command) const {
  char error[CORE_ERROR_BYTES];
  const bool malformed = !core_check(kind_, &memory_, &command, error);
  return {command, malformed ? 0 : core_cycles(&sim_.config, &command), malformed};
}

bool core_unit::push(const pushed_command &pushed, uint64_t &cycle) {
  const command_t &command = pushed.command;
  char error[CORE_ERROR_BYTES];
  if (pushed.malformed && !core_check(kind_, &memory_, &command, error)) {  // once more, for what is wrong
    sim_.stop(SOC_STOPPED, "malformed command: " + std::string(error) + ": " + sim_.describe(name_, command));
    return true;
  }
  if (core_names_scalar(&command) && !pipes_[PIPE_S]) {
    sim_.stop(SOC_STOPPED, "the run has no pipe S: " + sim_.describe(name_, command));
    return true;
  }
  pipe &to = *pipes_[command.header.pipe_];
  const unsigned told = 1u << to.id() & untold_;
  if (!to.push(pushed, pushes_, cycle, told != 0 ? waited_ : nullptr)) {
    full_ = &to;
    return false;
  }
  untold_ &= ~told;
  if (sim_.races && command.header.opcode_ == OP_SET_FLAG) {
    sim_.races->flag(name_, pushes_, command.set_flag);
  }
  ++pushes_;
  return true;
}

// Commands that it pushes from now on come after what it has waited for; after what it has written itself only if that,
// too, was waited for.
void core_unit::program_waited(const pipe &scalar, bool all) {
  auto clock = std::make_shared<vector_clock>(group_.domain.races.clock(scalar.agent()));
  clock->seen[scalar.agent()] = all ? clock->seen[scalar.agent()] : 0;
  waited_ = std::move(clock);
  untold_ = PIPE_ANY & ~PIPE_BIT_S;
  scalar_->release(scalar.time());
}

// --- accesses ---------------------------------------------------------------------------------

bool core_unit::check_accesses(unsigned agent, const command_t &command) {
  core_access_t accesses[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, accesses);
  if (command.header.opcode_ == OP_GATHER_IN) {
    if (auto error = gm_.check_gather(memory_, command.gather_in)) {
      sim_.stop(SOC_STOPPED, "gather: " + *error + ": " + sim_.describe(name_, command));
      return false;
    }
  }
  if (command.header.opcode_ == OP_READ_GM && !gm_.is_numbers(command.read_gm.gm)) {
    sim_.stop(SOC_STOPPED, "not in an array of numbers: " + sim_.describe(name_, command));
    return false;
  }
  if (command.header.opcode_ == OP_READ_VALUE && sim_.options.timing_only && !gm_.is_numbers(command.read_value.gm)) {
    sim_.stop(SOC_STOPPED, "a run with --timing-only has no values to read: " + sim_.describe(name_, command));
    return false;
  }
  if (command.header.opcode_ == OP_SIGNAL && !check_word(command, command.signal.gm)) {
    return false;
  }
  if (command.header.opcode_ == OP_AWAIT && !check_word(command, command.await.gm)) {
    return false;
  }
  if (command.header.opcode_ == OP_CLEAN_LINES) {
    sim_.scalar_lines.clean(name_, command.clean_lines.gm);
  }
  if (sim_.races) {
    sim_.races->began(group_.domain.index, agent, group_.domain.races.clock(agent).seen[agent],
                      pipes_[command.header.pipe_]->order());
  }
  for (size_t i = 0; i < count; ++i) {
    if (!check_access(agent, accesses[i], command)) {
      return false;
    }
  }
  core_add_work(&sim_.result.work, &memory_, &command, accesses, count);
  return true;
}

// A core's reads of a word go to its own die, again and again.
bool core_unit::check_word(const command_t &command, uint64_t address) {
  const bool elsewhere = command.header.opcode_ == OP_AWAIT && gm_.home(address, group_.die()) != group_.die();
  if (gm_.is_flags(address) && !elsewhere) {
    return true;
  }
  sim_.stop(SOC_STOPPED, std::string(elsewhere ? "not in this die's memory: " : "not in an array of flags: ") +
                             sim_.describe(name_, command));
  return false;
}

bool core_unit::check_access(unsigned agent, const core_access_t &access, const command_t &command) {
  const auto stop = [&](const std::string &what) {
    sim_.stop(SOC_STOPPED, what + sim_.describe(name_, command));
    return false;
  };
  if (access.space == SPACE_GM) {
    if (auto error = gm_.check(access, core_is_atomic(&command))) {
      return stop("out of bounds: " + *error + ": ");
    }
    if (core_gm_op(&command) > GM_RESCALE && sim_.options.gm == SOC_GM_RTL) {
      return stop("the slices of this run have operations of some types only (--gm c has all): ");
    }
    if (gm_.is_flags(access.base)) {
      return stop("words of flags are for SIGNAL and AWAIT: ");
    }
    if (command.header.opcode_ == OP_WRITE_VALUE && gm_.home(access.base, group_.die()) != group_.die()) {
      return stop("a scalar core writes to the memory of its own die alone: ");
    }
    if (gm_.is_read_only(access.base)) {
      return true;
    }
  }
  return check_order(agent, access, command) &&
         (access.space != SPACE_GM || (check_others(agent, access, command) && check_lines(access, command)));
}

// Within its domain.
bool core_unit::check_order(unsigned agent, const core_access_t &access, const command_t &command) {
  if (!sim_.options.race_check) {
    return true;
  }
  race_detector &detector = group_.domain.races;
  if (auto old = detector.access(races(access.space), agent, access, command)) {
    const std::string later = sim_.describe(name_, command);
    const std::string earlier = sim_.describe(detector.core_of(old->agent), old->command);
    if (sim_.races) {
      const unsigned domain = group_.domain.index;
      sim_.races->add(
          access.space,
          {detector.core_of(old->agent), old->command, sim_.races->order_of(domain, old->agent, old->time), earlier},
          {name_, command, pipes_[command.header.pipe_]->order(), later});
      detector.add(races(access.space), agent, access, command);
      return true;
    }
    sim_.stop(SOC_STOPPED, std::string("race in ") + core_space_name(access.space) + ": no flag orders " + later +
                               " after " + earlier);
    return false;
  }
  return true;
}

// With other domains. If a race does not end the run, it has one result at least.
bool core_unit::check_others(unsigned agent, const core_access_t &access, const command_t &command) {
  if (!sim_.options.race_check && (sim_.options.timing_only || sim_.effects->is_in_order())) {
    return true;
  }
  const race_detector &races = group_.domain.races;
  const std::optional<unsigned> other =
      gm_.race_between_cores({group_.meetings.syncs(group_.domain), races.clock(agent), races.handed_on(agent),
                              static_cast<uint16_t>(group_.domain.index), static_cast<uint16_t>(agent)},
                             access);
  if (other && sim_.options.race_check) {
    const bool pairs = has_pair();
    const unsigned ai_cores = sim_.config.soc.ai_cores / (pairs ? 2 : 1);
    const std::string name = *other < ai_cores ? (pairs ? "pair " : "AI core ") + std::to_string(*other)
                                               : "engine" + std::to_string(*other - ai_cores);
    if (sim_.races) {
      sim_.races->add(SPACE_GM, {name, std::nullopt, 0, name}, {name_, command, 0, sim_.describe(name_, command)});
      sim_.effects->put_in_order();
      return true;
    }
    sim_.stop(SOC_STOPPED, "race in GM with " + name + ", no SYNC_ALL " + (sim_.memories() > 1 ? "or SIGNAL " : "") +
                               "between: " + sim_.describe(name_, command));
    return false;
  }
  if (other) {
    sim_.effects->put_in_order();
  }
  return true;
}

// What a scalar core's cache has, and memory has not, or the other way round.
bool core_unit::check_lines(const core_access_t &access, const command_t &command) {
  if (!sim_.options.race_check) {
    return true;
  }
  if (const auto conflict = sim_.scalar_lines.access(name_, access, command)) {
    const std::string wrote = sim_.describe(conflict->core, conflict->wrote), reads = sim_.describe(name_, command);
    sim_.stop(SOC_STOPPED, conflict->stale
                               ? "stale line in a scalar core's cache: no CLEAN_LINES drops it for " + reads +
                                     ", which reads what was there before " + wrote
                               : "line that stays in a scalar core's cache: no CLEAN_LINES writes it back for " +
                                     reads + ", which reads what was there before " + wrote);
    return false;
  }
  return true;
}

bool core_unit::check_overlap(core_space_t space, const command_t &reader, const command_t &writer) {
  if (sim_.races) {
    sim_.races->add(space, {name_, writer, 0, sim_.describe(name_, writer)},
                    {name_, reader, 1, sim_.describe(name_, reader)});
    return true;
  }
  if (sim_.options.race_check) {
    sim_.stop(SOC_STOPPED, std::string("race in ") + core_space_name(space) + ": no PIPE_BARRIER orders " +
                               sim_.describe(name_, reader) + " after " + sim_.describe(name_, writer));
  }
  return !sim_.options.race_check;
}

bool core_unit::check_pair(const command_t &command) {
  if (!has_pair()) {
    sim_.stop(SOC_STOPPED, "the run is not one of pairs of AI cores: " + sim_.describe(name_, command));
  }
  return has_pair();
}

// --- effects ----------------------------------------------------------------------------------

void core_unit::bring_up_to_date_for(const command_t &command, uint64_t now) {
  const bool operands_matter =
      sim_.is_done_in_rtl(command) || (command.header.opcode_ == OP_COPY_OUT && command.copy_out.skip_zero != 0);
  if (!sim_.options.timing_only && operands_matter) {
    sim_.effects->finish(group_.domain.index, now);
  }
}

void core_unit::take_effect(unsigned agent, uint64_t cycle, const command_t &command, uint64_t number) {
  const bool looked_at = sim_.init_check || sim_.dumps || sim_.tensor_book;
  if (sim_.options.timing_only || (sim_.is_done_in_rtl(command) && !looked_at)) {
    return;
  }
  const uint32_t dumped = sim_.dumps ? sim_.dumps->wanted(name_, number, command) : 0;
  sim_.effects->add(group_.domain.index, agent, cycle, memory_, command, dumped);
}

void core_unit::look(const command_t &command, uint64_t now) {
  if (core_reads_value(&command)) {
    release_scalar(command, now);
  } else {
    group_.meetings.mark(command.mark.number, now);
  }
}

void core_unit::signal(const cmd_signal_t &command, const vector_clock &clock, uint64_t cycle,
                       const pipe_cause &cause) {
  group_.meetings.signal(command, group_.domain, clock, cycle, cause);
}

void core_unit::await(pipe &who, const cmd_await_t &command) {
  group_.meetings.await(command, {&who, group_.domain.index, command.value});
}

void core_unit::arrive(pipe &who, uint64_t cycle) { group_.meetings.arrive(who, kind_, group_.domain, cycle); }

// --- queues and cross-core flags --------------------------------------------------------------

void core_unit::popped(const pipe &by) {
  if (full_ == &by) {
    full_ = nullptr;
    sim_.clock.wake(*scalar_);
  }
}

// Of a word in another die's memory, to there and back.
double core_unit::read_latency_us(const command_t &look) const {
  const uint64_t address = look.header.opcode_ == OP_READ_GM ? look.read_gm.gm : look.read_value.gm;
  const unsigned home = gm_.home(address, group_.die());
  return sim_.config.gm.l2_latency_us + (home == group_.die() ? 0 : 2 * sim_.latency_us(group_.die(), home));
}

// Memory is brought up to date, and the program goes on.
void core_unit::release_scalar(const command_t &look, uint64_t now) {
  if (!sim_.options.timing_only) {
    sim_.effects->finish(group_.domain.index, now);
  }
  if (sim_.init_check) {
    sim_.init_check->execute(memory_, look, now);
  }
  const bool value = look.header.opcode_ == OP_READ_VALUE;
  const bool in_ub = value && look.read_value.gm == 0;
  scalar_->release(
      now + (in_ub ? core_cycles(&sim_.config, &look) : config_cycles(&sim_.config, read_latency_us(look))),
      value ? core_value(&memory_, &look.read_value) : 0);
}

void core_unit::cross_set(const cmd_cross_set_t &command, const vector_clock &clock, uint64_t cycle,
                          const pipe_cause &cause) {
  const uint64_t arrival = cycle + config_cycles(&sim_.config, sim_.config.soc.cross_flag_us);
  const bool pair = command.opcode_ == OP_PAIR_SET;
  for (const receiver &r : pair ? pair_receivers_ : receivers_) {
    r.core->cross_flags(command.opcode_).set(r.as_sender, {cycle, arrival, clock, command, cause});
    for (watcher *w : sim_.watchers) {
      w->cross_flag_up(r.core->number(), r.as_sender, command, arrival);
    }
    for (const auto &p : r.core->pipes()) {
      if (p && p->waits_for_cross(pair ? OP_PAIR_WAIT : OP_CROSS_WAIT, command.flag)) {
        p->wake();
      }
    }
  }
}

bool core_unit::idle() const {
  for (const auto &p : pipes_) {
    if (p && !p->idle()) {
      return false;
    }
  }
  return scalar_->halted();
}

void core_unit::describe_blocked(std::vector<std::string> &lines) {
  for (const auto &p : pipes_) {
    if (p && !p->idle()) {
      lines.push_back(sim_.describe(name_, p->current()));
    }
  }
  if (!scalar_->halted()) {
    lines.push_back(name_ + " scalar core waits for " +
                    (scalar_->is_held() ? "its READ_GM or READ_VALUE, or pipe S" : "a full queue"));
  }
}

// --- errors in the use of flags ---------------------------------------------------------------

std::string core_unit::sender_name(size_t sender, unsigned opcode) const {
  const unsigned ai_core = opcode == OP_PAIR_SET ? pairing(sim_.config.soc).other(group_.index) : group_.index;
  return core_name(kind_ == CORE_CUBE ? CORE_VECTOR : CORE_CUBE, ai_core, static_cast<unsigned>(sender));
}

void core_unit::flag_twice(const cmd_set_flag_t &setter) {
  command_t command{};
  command.set_flag = setter;
  sim_.stop(SOC_STOPPED, "flag is up already, a wait is missing: " + sim_.describe(name_, command));
}

void core_unit::cross_flag_overflow(size_t sender, const cmd_cross_set_t &setter) {
  command_t command{};
  command.cross_set = setter;
  sim_.stop(SOC_STOPPED, "cross-core flag counted beyond " + std::to_string(CROSS_FLAG_MAX) +
                             ", a wait is missing: " + sim_.describe(sender_name(sender, setter.opcode_), command));
}

void core_unit::check_flags_twice() {
  flags_.for_each_up([&](const cmd_set_flag_t &setter, size_t sets) {
    if (sets > 1) {
      flag_twice(setter);
    }
  });
  for (const cross_flag_board *board : {&cross_flags_, &pair_flags_}) {
    board->for_each_up([&](size_t sender, const cmd_cross_set_t &setter, size_t sets) {
      if (sets > CROSS_FLAG_MAX) {
        cross_flag_overflow(sender, setter);
      }
    });
  }
}

void core_unit::flag_left(const std::string &what, const std::string &setter) {
  const std::string text = what + " still up at the end" + setter;
  if (sim_.options.flags_left == SOC_FLAGS_ERROR) {
    sim_.stop(SOC_STOPPED, text);
  } else if (sim_.options.flags_left == SOC_FLAGS_WARN && sim_.result.flags_left++ == 0) {
    std::snprintf(sim_.result.first_flag_left, sizeof sim_.result.first_flag_left, "%s", text.c_str());
  }
}

void core_unit::check_flags_down() {
  check_flags_twice();
  flags_.for_each_up([&](const cmd_set_flag_t &setter, size_t) {
    command_t command{};
    command.set_flag = setter;
    flag_left("flag", ", a wait is missing: " + sim_.describe(name_, command));
  });
  for (const cross_flag_board *board : {&cross_flags_, &pair_flags_}) {
    board->for_each_up([&](size_t sender, const cmd_cross_set_t &setter, size_t) {
      command_t command{};
      command.cross_set = setter;
      flag_left("cross-core flag", " on " + name_ + ", a wait is missing: set by " +
                                       sim_.describe(sender_name(sender, setter.opcode_), command));
    });
  }
}

}  // namespace soc
