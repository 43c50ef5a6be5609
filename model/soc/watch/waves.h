// Waveforms of a run: the Verilated units' signals and the machine's, in one FST file with one time.
//
// Time in the file is in picoseconds of the cores' clock.  Pipes and scalar cores run ahead of the
// machine's clock (scheduler.h): what they do at a cycle waits here until the machine's clock has
// passed it.  A Verilated unit is stepped in the machine's time and writes its signals at once; where
// it is not stepped its clock stands.
//
// Signals (core: "cube0", "vector0_1", "engine0"; pipe: "mte2"):
//   CORE.PIPE.state      empty, busy, flag, cross_flag, barrier: what the pipe does or waits for
//   CORE.PIPE.command    opcode of the command it is at, and .number, which of its pipe (timeline's n)
//   CORE.PIPE.queue      commands in its queue
//   CORE.PIPE.rate       bytes a cycle that its move gets
//   CORE.scalar.state    running, blocked: a queue is full, halted
//   CORE.flags.A_to_B    flags up, a bit an event; drawn for a cycle at least
//   CORE.cross.SENDER_F  cross-core flag F of a sender, how often it is up
//   CORE.MEMORY.reading, .writing    bytes that the commands at work read and write
//   gm.dieN.moves, .hbm, .l2         moves under way; bytes a cycle they get
//   gm.slices.sliceN                 beats that wait (--gm rtl)
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_WAVES_H
#define AMALGAM_SOC_WATCH_WAVES_H

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "hal/command.h"
#include "soc/soc.h"
#include "soc/watch/window.h"
#include "waves/waves.h"

namespace soc {

class waves {
 public:
  explicit waves(const soc_options_t &options);
  ~waves();
  waves(const waves &) = delete;
  waves &operator=(const waves &) = delete;

  // --- before begin ---
  const waves_port_t &port() { return *waves_port(file_); }
  // Everything of an engine, or an outline?
  bool everything() const { return everything_; }
  // record writes all of a unit's signals, its clock standing.
  void add_unit(std::function<void()> record) { units_.push_back(std::move(record)); }
  // Signals start at 0.  The number returned is 0 if it is not traced, which set and add then ignore.
  uint32_t add_signal(const std::string &name, unsigned bits, const char *const *labels = nullptr);
  uint32_t add_real(const std::string &name);
  // Throws if the file cannot be written, or a scope matches nothing.
  void begin();

  // --- the machine's side: at a cycle, now or later ---
  void set(uint32_t signal, uint64_t cycle, uint64_t value) { note(signal, cycle, value, SET); }
  void add(uint32_t signal, uint64_t cycle, int64_t change) { note(signal, cycle, static_cast<uint64_t>(change), ADD); }
  void set_real(uint32_t signal, uint64_t cycle, double value);
  // A command keeps its pipe from begin; until end.  Windows look at these.
  void command_begins(const std::string &core, const command_t &command, uint64_t begin);
  void command_ends(const std::string &core, const command_t &command, uint64_t end);

  // The machine's clock has come to a cycle: what was before is written.
  void reach(uint64_t cycle);
  // A unit has settled in the machine's cycle: true, it is to write its changes.
  bool unit_at(uint64_t cycle);

  // Ends the file; false if it could not be written, errno says why.
  bool end(bool badly);

 private:
  enum action { SET, ADD, OPEN, CLOSE };
  struct event {
    uint64_t cycle, order;
    uint64_t value;
    uint32_t signal;
    action what;
    bool operator<(const event &other) const {  // the queue's top is the largest
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };
  void note(uint32_t signal, uint64_t cycle, uint64_t value, action what);
  void apply(const event &e);
  void write_changed(uint64_t cycle);
  void open_window();

  bool everything_;
  bool begun_ = false;
  std::vector<std::function<void()>> units_;
  std::vector<uint64_t> values_;  // by signal
  std::vector<bool> ours_, is_changed_;
  std::vector<uint32_t> changed_;  // in the cycle looked at
  std::priority_queue<event> events_;
  uint64_t order_ = 0;
  uint64_t reached_ = 0;
  uint64_t from_, to_;  // the window, as far as it is known
  command_mark from_mark_, to_mark_;
  waves_t *file_;  // last: nothing after it throws
};

}  // namespace soc

#endif
