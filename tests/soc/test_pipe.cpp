// A pipe by itself, with a memory and a core made of nothing: when its queue has room, when flags let it go on, when a
// command of an atomic store takes effect, and what it says of itself at a wait.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "soc/cores/pipe.h"
#include "test.h"  // its macros break the headers above

namespace {

constexpr uint64_t kBusy = 10, kDrain = 7, kLatency = 100;

// Moves begin, and end when the test says so.
class idle_memory : public soc::memory {
 public:
  course begin(soc::mover &, unsigned, const core_memory_t &, const command_t &, uint64_t, uint64_t now) override {
    begun.push_back(now);
    return {kLatency, 1};
  }
  void apply(const core_memory_t &, const command_t &) override {}
  uint64_t written_back() const override { return 0; }
  void report(soc_result_t &) const override {}
  std::vector<uint64_t> begun;  // cycles
};

// A vector core with two pipes, that allows everything and notes when commands take effect.
class vector_core : public soc::pipe_effects {
 public:
  vector_core()
      : name("vector"), config{}, result{}, services{name,        0,          config, result,  watchers, clock,
                                                     races,       memory,     0,      buffers, nullptr,  flags,
                                                     cross_flags, pair_flags, pipes,  *this} {
    config.scalar.queue_depth = 2;
    config.vector.drain = kDrain;
    clock.between_events = [](uint64_t) { return false; };
    pipes.resize(PIPE_COUNT);
    for (const unsigned id : {PIPE_V, PIPE_MTE3}) {
      pipes[id] = std::make_unique<soc::pipe>(services, id, id);
    }
  }
  virtual ~vector_core() = default;

  bool check_accesses(unsigned, const command_t &) override { return true; }
  bool check_pair(const command_t &) override { return true; }
  bool check_overlap(core_space_t, const command_t &, const command_t &) override { return true; }
  void popped(const soc::pipe &) override { ++told_of_room; }
  void bring_up_to_date_for(const command_t &, uint64_t) override {}
  void take_effect(unsigned, uint64_t cycle, const command_t &command, uint64_t) override {
    effects.push_back({command.header.opcode_, cycle});
  }
  void program_waited(const soc::pipe &, bool) override {}
  void look(const command_t &, uint64_t) override {}
  void cross_set(const cmd_cross_set_t &, const soc::vector_clock &, uint64_t, const soc::pipe_cause &) override {}
  void signal(const cmd_signal_t &, const soc::vector_clock &, uint64_t, const soc::pipe_cause &) override {}
  void await(soc::pipe &, const cmd_await_t &) override {}
  void arrive(soc::pipe &, uint64_t) override {}
  void flag_twice(const cmd_set_flag_t &) override { ++flags_twice; }
  void cross_flag_overflow(size_t, const cmd_cross_set_t &) override {}

  // The cycle at which the command is in the queue; UINT64_MAX: the queue is full.
  uint64_t push(unsigned id, command_t command, uint64_t cycle) {
    command.header.pipe_ = static_cast<decltype(command.header.pipe_)>(id);
    return pipes[id]->push({command, kBusy, false}, 0, cycle) ? cycle : UINT64_MAX;
  }
  soc::pipe &operator[](unsigned id) { return *pipes[id]; }

  std::string name;
  config_t config;
  soc_result_t result;
  std::vector<soc::watcher *> watchers;
  soc::scheduler clock;
  soc::race_detector races;
  idle_memory memory;
  core_memory_t buffers{};
  soc::flag_board flags;
  soc::cross_flag_board cross_flags{1}, pair_flags{1};
  std::vector<std::unique_ptr<soc::pipe>> pipes;
  soc::pipe_services services;
  unsigned told_of_room = 0, flags_twice = 0;
  std::vector<std::pair<unsigned, uint64_t>> effects;  // opcode, cycle
};

command_t of_opcode(unsigned opcode) {
  command_t command{};
  command.header.opcode_ = static_cast<decltype(command.header.opcode_)>(opcode);
  return command;
}

command_t set_flag(unsigned to) {
  command_t command = of_opcode(OP_SET_FLAG);
  command.set_flag.to = static_cast<decltype(command.set_flag.to)>(to);
  return command;
}

command_t wait_flag(unsigned from) {
  command_t command = of_opcode(OP_WAIT_FLAG);
  command.wait_flag.from = static_cast<decltype(command.wait_flag.from)>(from);
  return command;
}

command_t atomic_store() {
  command_t command = of_opcode(OP_COPY_OUT);
  command.copy_out.op = GM_ADD_F32;
  return command;
}

// A push to a full queue is refused, and comes in the cycle in which the command before it has left.
TEST(test_queue) {
  vector_core core;
  assert_int_equal(core.push(PIPE_V, of_opcode(OP_VEC), 3), 3);
  assert_int_equal(core.push(PIPE_V, of_opcode(OP_VEC), 4), 4);
  assert_int_equal(core.push(PIPE_V, of_opcode(OP_VEC), 5), UINT64_MAX);
  assert_int_equal(core.told_of_room, 0);
  assert_int_equal(core.clock.step(0), soc::scheduler::kNever);  // ahead of the machine's clock: no event is needed
  assert_int_equal(core.told_of_room, 1);
  assert_int_equal(core.push(PIPE_V, of_opcode(OP_VEC), 5), 3 + kBusy);
  core.clock.step(0);
  assert_true(core[PIPE_V].idle());
  const std::vector<std::pair<unsigned, uint64_t>> expected = {
      {OP_VEC, 3 + kBusy}, {OP_VEC, 3 + 2 * kBusy}, {OP_VEC, 3 + 3 * kBusy}};
  assert_true(core.effects == expected);
}

// A wait that comes first holds its pipe and no other; a flag of V comes the drain of its pipeline later.
TEST(test_flags) {
  vector_core core;
  core.push(PIPE_MTE3, wait_flag(PIPE_V), 1);
  core.push(PIPE_MTE3, of_opcode(OP_VEC), 1);
  core.clock.step(0);
  assert_int_equal(core[PIPE_MTE3].queued(), 2);
  core.push(PIPE_V, set_flag(PIPE_MTE3), 50);
  core.clock.step(0);
  assert_true(core[PIPE_MTE3].idle());
  assert_int_equal(core.effects.size(), 1);
  assert_int_equal(core.effects[0].second, 50 + kBusy + kDrain + kBusy);

  core.push(PIPE_V, set_flag(PIPE_MTE3), 100);
  core.push(PIPE_V, set_flag(PIPE_MTE3), 100);
  core.push(PIPE_MTE3, wait_flag(PIPE_V), 200);  // both are up by then
  core.clock.step(0);
  assert_int_equal(core.flags_twice, 1);
}

// Whether the slices answer before the last byte has left or after it, the command takes effect a latency after the
// later of both, and a barrier behind it waits for that.
TEST(test_atomic_drains) {
  for (const bool early : {false, true}) {
    vector_core core;
    core.push(PIPE_MTE3, atomic_store(), 20);
    core.push(PIPE_MTE3, of_opcode(OP_PIPE_BARRIER), 20);
    assert_int_equal(core.clock.step(0), 20);
    core.clock.step(20);
    assert_int_equal(core.memory.begun.size(), 1);
    assert_int_equal(core.memory.begun[0], 20);
    const uint64_t moved = 30, answered = early ? 25 : 44;
    if (early) {
      core[PIPE_MTE3].answered(0, answered);
    }
    core[PIPE_MTE3].moved(moved);
    core.clock.step(moved);
    if (!early) {
      assert_int_equal(core[PIPE_MTE3].in_flight(), 1);
      assert_true(core.effects.empty());
      core[PIPE_MTE3].answered(0, answered);
      core.clock.step(answered);
    }
    const uint64_t effect = (early ? moved : answered) + kLatency;
    assert_int_equal(core.effects.size(), 1);
    assert_int_equal(core.effects[0].second, effect);
    assert_true(core[PIPE_MTE3].idle());
    assert_int_equal(core[PIPE_MTE3].time(), effect + kBusy);
  }
}

// Keeps the last activity that it is told.
class onlooker : public soc::watcher {
 public:
  void pipe_is(unsigned, soc::activity what, const command_t *, uint64_t, uint64_t) override { last = what; }
  soc::activity last = soc::BUSY;
};

// A pipe that stands at a wait says for what it waits, of whichever kind the wait is.
TEST(test_standing) {
  const std::pair<command_t, soc::activity> cases[] = {{wait_flag(PIPE_V), soc::FLAG},
                                                       {of_opcode(OP_CROSS_WAIT), soc::CROSS_FLAG},
                                                       {of_opcode(OP_PAIR_WAIT), soc::CROSS_FLAG},
                                                       {of_opcode(OP_SYNC_ALL), soc::BARRIER}};
  for (const auto &[command, expected] : cases) {
    vector_core core;
    onlooker seen;
    core.watchers.push_back(&seen);
    core.push(PIPE_MTE3, command, 1);
    core.clock.step(0);
    core[PIPE_MTE3].tell_standing();
    assert_int_equal(core[PIPE_MTE3].queued(), 1);
    assert_int_equal(seen.last, expected);
  }
}

}  // namespace
