// Watchers of a running machine: the record (recorder.h), waveforms (signals.h) and the critical
// path. The machine reports each of its steps to them; they change nothing. With nobody looking, an
// event costs a branch:
//
//   for (watcher *w : sim_.watchers) {
//     w->pushed(track_, command, cycle);
//   }
//
// Pipes and scalar cores run ahead of the machine's clock (scheduler.h): the cycles of one pipe come in
// order, those of several do not, and events may lie ahead of the machine's clock.
//
// The race detector (races/) is not a watcher. Flags carry its knowledge from pipe to pipe, and it ends
// runs: it is a part of the machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_WATCHER_H
#define AMALGAM_SOC_WATCH_WATCHER_H

#include <cstdint>
#include <string>
#include <vector>

#include "core/core.h"
#include "soc/watch/record.h"

namespace soc {

// A pipe's activity, or its reason for waiting.
enum activity { EMPTY, BUSY, FLAG, CROSS_FLAG, BARRIER, ACTIVITIES };
inline const char *const kActivityNames[] = {"empty", "busy", "flag", "cross_flag", "barrier", nullptr};

// A scalar core's activity; BLOCKED: the queue that it pushes to is full.
enum scalar_state { HALTED, RUNNING, BLOCKED };

struct watched_core {
  std::string name;  // "cube0"
  core_kind_t kind;
  unsigned number;  // in the machine; counts up from 0
  const core_memory_t *memory;
  std::vector<unsigned> pipes;  // PIPE_*, whose tracks are first_track, first_track + 1, ...
  unsigned first_track;
  std::vector<std::string> senders;  // cores whose CROSS_SETs come here
};

// Moves of a die that are under way.
struct die_load {
  struct move {
    unsigned track;
    double rate;  // bytes a cycle
  };
  std::vector<move> moves;
  double hbm = 0, l2 = 0;  // bytes a cycle that they get from each
};

// What a die of a system sends to others and gets from them, bytes a cycle.
struct link_load {
  double out = 0, in = 0;
};

class watcher {
 public:
  virtual ~watcher() = default;

  // --- what there is; before anything moves ---
  virtual void add_core(const watched_core &) {}
  virtual void add_die(unsigned /*die*/) {}
  virtual void add_slice(unsigned /*slice*/) {}

  // --- launches ---
  // firmware: its number (source_line.h).
  virtual void launched(unsigned /*firmware*/) {}
  // The last effect was at the end's cycle.
  virtual void launch_over(uint64_t /*begin*/, uint64_t /*end*/) {}
  // All events before this cycle have been reported.
  virtual void reached(uint64_t /*cycle*/) {}

  // --- cores and pipes; each event from or at a cycle ---
  virtual void scalar_is(unsigned /*core*/, scalar_state, uint64_t /*cycle*/) {}
  // command: what the pipe is at, and its number; null if there is none.
  virtual void pipe_is(unsigned /*track*/, activity, const command_t * /*command*/, uint64_t /*number*/,
                       uint64_t /*cycle*/) {}
  // A command is in its pipe's queue; keeps the pipe; leaves both; has had its effect, or its wait is over.
  virtual void pushed(unsigned /*track*/, uint64_t /*cycle*/) {}
  virtual void began(unsigned /*track*/, const command_t &, uint64_t /*cycle*/) {}
  virtual void ended(unsigned /*track*/, const command_t &, uint64_t /*cycle*/) {}
  // firmware is left to the watcher.
  virtual void done(const soc_command_t &) {}

  // --- flags: up at a cycle, and taken ---
  virtual void flag_up(unsigned /*core*/, unsigned /*from*/, const cmd_set_flag_t &, uint64_t /*up*/) {}
  virtual void flag_taken(unsigned /*core*/, unsigned /*to*/, const cmd_wait_flag_t &, uint64_t /*up*/,
                          uint64_t /*taken*/) {}
  // Reports a flag of a CROSS_SET or PAIR_SET, on a core that gets it.
  virtual void cross_flag_up(unsigned /*core*/, size_t /*sender*/, const cmd_cross_set_t &, uint64_t /*up*/) {}
  virtual void cross_flag_taken(unsigned /*core*/, size_t /*sender*/, const cmd_cross_set_t &, uint64_t /*up*/,
                                uint64_t /*taken*/) {}

  // --- memory ---
  virtual void bandwidth(unsigned /*die*/, const die_load &, uint64_t /*cycle*/) {}
  // Of all dies of a system, in order.
  virtual void links(const std::vector<link_load> &, uint64_t /*cycle*/) {}
  // Beats that wait at a slice, so many more.
  virtual void beats_wait(unsigned /*slice*/, int64_t /*more*/, uint64_t /*cycle*/) {}
};

}  // namespace soc

#endif
