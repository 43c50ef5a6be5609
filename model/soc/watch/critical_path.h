// The chain of commands and waits that set a kernel's time: from its last effect back to its launch,
// each link the one thing that the next could not begin or end without.
//
//   effect of a command <- its latency <- the cycles it kept its pipe <- whichever came last of
//     the command before it in the pipe        (the pipe was busy)
//     the set of the flag that it waits for    (another pipe or core)
//     its push by the scalar core              <- the push before it, or room in the queue
//
// When a launch is over the chain is read off the record (recorder.h), and its cycles are added to sums. If a wait
// got several flags in the same cycle, the chain follows the one that the record names.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_CRITICAL_PATH_H
#define AMALGAM_SOC_WATCH_CRITICAL_PATH_H

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "config/config.h"
#include "soc/watch/recorder.h"

namespace soc {

class source_lines;

class critical_path : public watcher {
 public:
  // recorded has been told of everything before this is.
  critical_path(const recorder &recorded, const config_t &config) : recorded_(recorded), config_(config) {}

  void add_core(const watched_core &core) override;
  void launched(unsigned firmware) override;
  void launch_over(uint64_t begin, uint64_t end) override;

  // {"cycles":N,"links":[{"core","pipe","what","command","line","cycles","times"}],"waits":[...]}: the
  // links' cycles add up to N; waits are those that the chain passes, with what the pipe stood there,
  // "data" or "buffer" (a pipe further on gives one back).  False: it cannot be written.
  bool write(const std::string &path, source_lines &lines) const;

 private:
  // Links (BANKS: what conflicts of UB's banks add to BUSY), and two kinds of waits: for what another pipe makes, and
  // for a buffer that it gives back.
  enum what { BUSY, BANKS, LATENCY, FLAG, SCALAR, LAUNCH, DATA, BUFFER };
  static const char *const kWhat[];

  struct pipe_log {
    core_kind_t kind;
    unsigned id;
    unsigned first_track, end_track;  // of its core
    uint64_t first;                   // number of its first command of this launch
  };
  struct sum {
    uint64_t cycles = 0, times = 0;
  };
  struct cause {  // commands that a report takes together
    core_kind_t kind;
    unsigned pipe, what, opcode, firmware;
    uint64_t pc;
    bool operator<(const cause &other) const {
      return std::tie(kind, pipe, what, opcode, firmware, pc) <
             std::tie(other.kind, other.pipe, other.what, other.opcode, other.firmware, other.pc);
    }
  };

  // Commands of this launch; null: there is none.
  const soc_command_t *last_effect(unsigned track) const;
  const soc_command_t *command_before(const soc_command_t &c) const;
  const soc_command_t *effect_before(const soc_command_t &c) const;
  const soc_command_t *push_before(const soc_command_t &c) const;
  const soc_command_t *held_by(const soc_command_t &barrier) const;
  uint64_t first_pushed(unsigned track, uint64_t order) const;
  cause cause_of(const soc_command_t &c, what kind) const;

  // Each goes one link back from a command, where it is at a time, and adds up what lies between.
  enum step { DONE, FREE, START, PUSHED, OVER };
  struct position {
    const soc_command_t *at;
    step next;
    uint64_t time;
  };
  static void move(position &p, const soc_command_t &to, step next, uint64_t time);
  void from_done(position &p);
  void from_free(position &p);
  void from_wait(position &p);
  void from_barrier(position &p);
  void from_sync_all(position &p, const soc_command_t &last);
  void from_start(position &p);
  void from_push(position &p, uint64_t launch);
  void link(const position &p, what kind, uint64_t since);
  void note_wait(const soc_command_t &wait);
  void walk(const soc_command_t &last, uint64_t launch);

  const recorder &recorded_;
  const config_t &config_;
  unsigned firmware_ = 0;
  uint64_t total_ = 0;
  std::vector<pipe_log> pipes_;  // by track
  std::map<cause, sum> links_, waits_;
};

}  // namespace soc

#endif
