// The services that a pipe needs of the machine around it. It knows nothing else of the machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_PIPE_SERVICES_H
#define AMALGAM_SOC_CORES_PIPE_SERVICES_H

#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/core.h"
#include "soc/cores/flags.h"
#include "soc/cores/scheduler.h"
#include "soc/engine/attention_engine.h"
#include "soc/memory/memory.h"
#include "soc/races/race_detector.h"
#include "soc/soc.h"
#include "soc/watch/watcher.h"

namespace soc {

class pipe;

// Effects of a pipe's commands beyond the pipe: its core does them, or has them done.  A function that returns
// false has ended the run.
class pipe_effects {
 public:
  // May the command touch what it touches, by the arrays and the race detector?
  virtual bool check_accesses(unsigned agent, const command_t &command) = 0;
  // Is there a pair, for a PAIR_SET or PAIR_WAIT?
  virtual bool check_pair(const command_t &command) = 0;
  // May it read what a command that is still in flight writes?
  virtual bool check_overlap(core_space_t space, const command_t &reader, const command_t &writer) = 0;
  // The pipe has taken commands from its queue.
  virtual void popped(const pipe &by) = 0;
  // A move begins: what it reads is computed, if the move depends on it.
  virtual void bring_up_to_date_for(const command_t &command, uint64_t now) = 0;
  // A command that moves or computes takes effect at a cycle, the number-th of its pipe from 0 on.
  virtual void take_effect(unsigned agent, uint64_t cycle, const command_t &command, uint64_t number) = 0;
  // A wait of pipe S is over, for all pipes or for some: the program goes on.
  virtual void program_waited(const pipe &scalar, bool all) = 0;
  // A READ_GM, READ_VALUE or MARK has come to its turn.
  virtual void look(const command_t &command, uint64_t now) = 0;
  // A CROSS_SET or PAIR_SET takes effect.
  virtual void cross_set(const cmd_cross_set_t &command, const vector_clock &clock, uint64_t cycle,
                         const pipe_cause &cause) = 0;
  // A SIGNAL takes effect.
  virtual void signal(const cmd_signal_t &command, const vector_clock &clock, uint64_t cycle,
                      const pipe_cause &cause) = 0;
  // It has come to an AWAIT; who.signalled() follows when the word is large enough.
  virtual void await(pipe &who, const cmd_await_t &command) = 0;
  // It has come to a SYNC_ALL; who.synchronised() follows when all pipes like it have.
  virtual void arrive(pipe &who, uint64_t cycle) = 0;
  // Errors in the use of flags; they end the run.
  virtual void flag_twice(const cmd_set_flag_t &setter) = 0;
  virtual void cross_flag_overflow(size_t sender, const cmd_cross_set_t &setter) = 0;

 protected:
  ~pipe_effects() = default;
};

struct pipe_services {
  const std::string &core;  // its name
  unsigned core_number;     // and number, for those who look on
  const config_t &config;
  soc_result_t &result;  // the books; its status says whether the run goes on
  const std::vector<watcher *> &watchers;
  scheduler &clock;
  race_detector &races;
  soc::memory &memory;
  unsigned die;
  const core_memory_t &buffers;  // of the core
  attention_engine *engine;      // null: it has none
  flag_board &flags;
  cross_flag_board &cross_flags, &pair_flags;
  const std::vector<std::unique_ptr<pipe>> &pipes;  // of the core, by number; null: it has none
  pipe_effects &effects;
  bool auto_sync = false;  // V waits by itself for results that it reads
};

}  // namespace soc

#endif
