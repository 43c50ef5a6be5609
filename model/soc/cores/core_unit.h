// A cube core, a vector core or an attention engine: private memories, a scalar core that issues commands,
// and the pipes that carry them out.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_CORE_UNIT_H
#define AMALGAM_SOC_CORES_CORE_UNIT_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/core.h"
#include "soc/cores/flags.h"
#include "soc/cores/pipe.h"
#include "soc/cores/simulation.h"
#include "soc/engine/attention_engine.h"
#include "soc/memory/gm.h"
#include "soc/scalar/gdb_server.h"
#include "soc/scalar/scalar.h"

namespace soc {

struct core_group;

class core_unit {
 public:
  // sub: vector core within its AI core; senders: cores whose cross-core flags come here.
  core_unit(core_group &group, core_kind_t kind, unsigned sub, size_t senders);

  // Cores that CROSS_SET on this one reaches, and as which sender.
  void connect(core_unit &receiver, size_t as_sender) { receivers_.push_back({&receiver, as_sender}); }

  // The same for PAIR_SET.
  void connect_pair(core_unit &receiver, size_t as_sender) { pair_receivers_.push_back({&receiver, as_sender}); }
  // The direct path: this vector core's MTE3 can write into the L1 of a cube core, its own AI core's, or
  // as SPACE_PAIR_L1 that of the pair's other one.
  void reach_l1(core_unit &cube, core_space_t space);

  // A kernel's program begins at a cycle, and ends.
  void start(const std::string &firmware, uint64_t cycle);
  void abandon() { scalar_->abandon(); }
  scalar &program() { return *scalar_; }

  // Of a command that this core's firmware pushes; in any thread.
  pushed_command look_at(const command_t &command) const;
  // Queues it, or ends the run if it is malformed.  False: the queue is full; the scalar core will be called again
  // when it is not.  cycle: of the push, moves on to when there was room.
  bool push(const pushed_command &pushed, uint64_t &cycle);
  // What a command of a pipe touches against the arrays and the race detector; false: it ended the
  // run.
  bool check_accesses(unsigned agent, const command_t &command);
  // A pipe has taken commands from its queue.
  void popped(const pipe &by);
  // The scalar core's READ_GM has come to its turn: memory is brought up to date, and the program goes on.
  void release_scalar(const command_t &look, uint64_t cycle);
  // Raises a cross-core flag on every connected core.  A PAIR_SET is one in all but the cores.
  void cross_set(const cmd_cross_set_t &command, const vector_clock &clock, uint64_t cycle, const pipe_cause &cause);

  bool idle() const;  // program ended, pipes empty
  void describe_blocked(std::vector<std::string> &lines);
  void check_flags_down();
  void check_flags_twice();
  // Errors in the use of flags; they end the run.
  void flag_twice(const cmd_set_flag_t &setter);
  void cross_flag_overflow(size_t sender, const cmd_cross_set_t &setter);
  void no_pair(const command_t &command);

  core_group &group() { return group_; }
  simulation &sim() { return sim_; }
  global_memory &gm() { return gm_; }
  core_kind_t kind() const { return kind_; }
  unsigned index() const;
  unsigned number() const { return number_; }  // in the machine, for those who look on
  unsigned sub() const { return sub_; }
  const std::string &name() const { return name_; }
  const core_memory_t &memory() const { return memory_; }
  gdb_server *debugger() { return debugger_.get(); }    // null: nobody has asked for one
  attention_engine *engine() { return engine_.get(); }  // null: it has none
  race_memory &races(core_space_t space);
  flag_board &flags() { return flags_; }
  cross_flag_board &cross_flags(unsigned opcode) {  // of a CROSS_ or PAIR_ command
    return opcode == OP_PAIR_SET || opcode == OP_PAIR_WAIT ? pair_flags_ : cross_flags_;
  }
  // The pipe whose queue the scalar core waits for room in; null: it does not.
  const pipe *full() const { return full_; }
  // Who sends it flags by this CROSS_SET or PAIR_SET.
  std::string sender_name(size_t sender, unsigned opcode) const;
  bool has_pair() const { return !pair_receivers_.empty(); }
  const std::vector<std::unique_ptr<pipe>> &pipes() const { return pipes_; }

 private:
  bool check_access(unsigned agent, const core_access_t &access, const command_t &command);
  void add_memory(core_space_t space, uint64_t bytes);
  void add_memories();
  watched_core describe(size_t senders) const;

  core_group &group_;
  simulation &sim_;
  global_memory &gm_;
  core_kind_t kind_;
  unsigned sub_;
  unsigned number_;
  std::string name_;
  std::vector<std::unique_ptr<uint8_t[]>> storage_;
  core_memory_t memory_{};
  num_engine_t engine_num_{};
  race_memory races_[SPACE_COUNT];
  core_unit *l1_of_[2] = {};  // a vector core's: whose L1 it reaches as SPACE_L1, as SPACE_PAIR_L1
  flag_board flags_;
  cross_flag_board cross_flags_, pair_flags_;
  struct receiver {
    core_unit *core;
    size_t as_sender;
  };
  std::vector<receiver> receivers_, pair_receivers_;
  std::vector<std::unique_ptr<pipe>> pipes_;
  std::unique_ptr<attention_engine> engine_;
  std::unique_ptr<gdb_server> debugger_;
  std::map<std::string, std::unique_ptr<scalar>> programs_;  // by firmware file
  scalar *scalar_ = nullptr;                                 // the one that runs
  const pipe *full_ = nullptr;                               // the scalar core waits for room in it
  uint64_t pushes_ = 0;
};

}  // namespace soc

#endif
