// The chain of commands and waits that set a kernel's time: from its last effect back to its launch,
// each link the one thing that the next could not begin or end without.
//
//   effect of a command <- its latency <- the cycles it kept its pipe <- whichever came last of
//     the command before it in the pipe        (the pipe was busy)
//     the set of the flag that it waits for    (another pipe or core)
//     its push by the scalar core              <- the push before it, or room in the queue
//
// What every command did when is kept until the launch is over, some 80 bytes a command.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_CRITICAL_PATH_H
#define SOC_CRITICAL_PATH_H

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/core.h"

namespace soc {

class source_lines;

class critical_path {
 public:
  void enable() { enabled_ = true; }
  bool enabled() const { return enabled_; }

  // --- what happens; once it is enabled ---
  // Numbers of pipes count up from 0; those of a core follow each other. group: of the AI core;
  // other: that of its pair, or its own.
  void add_pipe(const std::string &core, core_kind_t kind, unsigned group, unsigned other,
                unsigned id);
  // A command comes into the queue at a cycle; asked: when the scalar core wanted that.
  void pushed(unsigned pipe, const command_t &command, uint64_t asked, uint64_t cycle);
  // A wait, barrier or SYNC_ALL held the pipe from begin to end.
  void waited(unsigned pipe, uint64_t number, uint64_t begin, uint64_t end);
  // A command kept its pipe from begin to end, might have taken effect at ready and did at done.
  void took_effect(unsigned pipe, uint64_t number, uint64_t begin, uint64_t end, uint64_t ready,
                   uint64_t done);
  // A launch is over; its commands are forgotten, but for the chain.
  void end_launch(unsigned firmware, uint64_t begin, uint64_t end, unsigned queue_depth);

  // {"cycles":N,"links":[{"core","pipe","what","command","line","cycles","times"}],"waits":[...]}: the
  // links' cycles add up to N; waits are those that the chain passes, with what the pipe stood there,
  // "data" or "buffer" (a pipe further on gives one back).  False: it cannot be written.
  bool write(const std::string &path, source_lines &lines) const;

 private:
  // Links, and two kinds of waits: for what another pipe makes, and for a buffer that it gives back.
  enum what { BUSY, LATENCY, FLAG, SCALAR, LAUNCH, DATA, BUFFER };
  static const char *const kWhat[];

  struct entry {
    uint8_t opcode;
    bool full;                     // the push waited for room
    uint32_t flag;                 // which one a set or wait is about
    uint64_t pc;
    uint64_t pushed, begin, end, ready, done;
    uint32_t before_pipe;          // the push before it of the same scalar core
    uint64_t before;
  };
  struct pipe_log {
    std::string name;              // of the core
    uint32_t core;                 // its number
    core_kind_t kind;
    unsigned group, other, id;
    uint64_t first;                // number of entries[0]
    std::vector<entry> entries;
  };
  struct place {                   // a command
    uint32_t pipe;
    size_t index;
  };
  struct sum {
    uint64_t cycles = 0, times = 0;
  };
  struct cause {                   // commands that a report takes together
    core_kind_t kind;
    unsigned pipe, what, opcode, firmware;
    uint64_t pc;
    bool operator<(const cause &other) const {
      return std::tie(kind, pipe, what, opcode, firmware, pc) <
             std::tie(other.kind, other.pipe, other.what, other.opcode, other.firmware, other.pc);
    }
  };
  const entry &at(const place &where) const { return logs_[where.pipe].entries[where.index]; }
  entry &log(unsigned pipe, uint64_t number) {
    return logs_[pipe].entries[number - logs_[pipe].first];
  }
  static bool is_wait(unsigned opcode);
  static uint32_t flag_of(const command_t &command);
  // Sets of a flag of a core, and waits, are each in the order of their times: the nth wait is for the
  // nth set.
  static uint64_t flag_key(uint32_t core, unsigned opcode, uint32_t flag) {
    return uint64_t{core} << 32 | uint64_t{opcode} << 24 | flag;
  }
  void index_flags();
  size_t nth(const place &wait) const;
  std::vector<place> setters_of(const place &wait) const;
  bool effect_before(const place &where, place &before) const;
  cause cause_of(const place &where, what kind) const;

  // Each goes one link back from `where`, whose time is `time`, and adds up what lies between.
  enum step { DONE, FREE, START, PUSHED, OVER };
  struct position {
    place where;
    step next;
    uint64_t time;
  };
  void from_done(position &p);
  void from_free(position &p);
  void note_wait(const place &where);
  void from_wait(position &p);
  void from_start(position &p);
  void from_push(position &p, uint64_t launch);
  void link(const position &p, what kind, uint64_t since);
  void walk(place last, uint64_t launch);

  bool enabled_ = false;
  unsigned firmware_ = 0;
  unsigned depth_ = 0;             // of a queue
  uint64_t total_ = 0;
  std::vector<pipe_log> logs_;
  std::vector<place> last_push_;                           // by core
  std::unordered_map<uint64_t, std::vector<place>> flags_; // sets, and waits
  std::map<cause, sum> links_, waits_;
};

}  // namespace soc

#endif
