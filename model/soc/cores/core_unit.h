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

class core_unit final : public pipe_effects, public scalar_port {
 public:
  // sub: vector core within its AI core; senders: cores whose cross-core flags come here.
  core_unit(core_group &group, core_kind_t kind, unsigned sub, size_t senders);

  // Cores that CROSS_SET on this one reaches, and as which sender.
  void connect(core_unit &receiver, size_t as_sender) { receivers_.push_back({&receiver, as_sender}); }

  // Connects a receiver of this core's PAIR_SETs.
  void connect_pair(core_unit &receiver, size_t as_sender) { pair_receivers_.push_back({&receiver, as_sender}); }
  // The direct path: this vector core's MTE3 can write into the L1 of a cube core, its own AI core's, or
  // as SPACE_PAIR_L1 that of the pair's other one.
  void reach_l1(core_unit &cube, core_space_t space);

  // A kernel's program begins at a cycle, and ends.
  void start(const std::string &firmware, uint64_t cycle);
  bool abandon() { return scalar_ == nullptr || scalar_->abandon(); }  // as of scalar.h
  scalar &program() { return *scalar_; }

  // --- for its scalar core ---
  pushed_command look_at(const command_t &command) const override;
  bool push(const pushed_command &pushed, uint64_t &cycle) override;

  // --- for its pipes ---
  bool check_accesses(unsigned agent, const command_t &command) override;
  bool check_pair(const command_t &command) override;
  bool check_overlap(core_space_t space, const command_t &reader, const command_t &writer) override;
  void popped(const pipe &by) override;
  void bring_up_to_date_for(const command_t &command, uint64_t now) override;
  void take_effect(unsigned agent, uint64_t cycle, const command_t &command, uint64_t number) override;
  void program_waited(const pipe &scalar, bool all) override;
  void look(const command_t &command, uint64_t now) override;
  void cross_set(const cmd_cross_set_t &command, const vector_clock &clock, uint64_t cycle,
                 const pipe_cause &cause) override;
  void signal(const cmd_signal_t &command, const vector_clock &clock, uint64_t cycle, const pipe_cause &cause) override;
  void await(pipe &who, const cmd_await_t &command) override;
  void arrive(pipe &who, uint64_t cycle) override;
  void flag_twice(const cmd_set_flag_t &setter) override;
  void cross_flag_overflow(size_t sender, const cmd_cross_set_t &setter) override;

  bool idle() const;  // program ended, pipes empty
  void describe_blocked(std::vector<std::string> &lines);
  // Flags that are up at the end: they end the run, or are noted, as the options say.
  void check_flags_down();
  void check_flags_twice();

  const core_group &group() const { return group_; }
  core_kind_t kind() const { return kind_; }
  unsigned number() const { return number_; }  // in the machine, for those who look on
  unsigned sub() const { return sub_; }
  const std::string &name() const { return name_; }
  const core_memory_t &memory() const { return memory_; }
  race_memory &races(core_space_t space);
  flag_board &flags() { return flags_; }
  cross_flag_board &cross_flags(unsigned opcode) {  // of a CROSS_ or PAIR_ command
    return opcode == OP_PAIR_SET || opcode == OP_PAIR_WAIT ? pair_flags_ : cross_flags_;
  }
  // The pipe whose queue the scalar core waits for room in; null: it does not.
  const pipe *full() const { return full_; }
  // The name of a core that sends it flags by this CROSS_SET or PAIR_SET.
  std::string sender_name(size_t sender, unsigned opcode) const;
  const std::vector<std::unique_ptr<pipe>> &pipes() const { return pipes_; }

 private:
  void flag_left(const std::string &what, const std::string &setter);
  bool has_pair() const { return !pair_receivers_.empty(); }
  double read_latency_us(const command_t &look) const;
  void release_scalar(const command_t &look, uint64_t now);
  bool check_word(const command_t &command, uint64_t address);
  bool check_access(unsigned agent, const core_access_t &access, const command_t &command);
  bool check_order(unsigned agent, const core_access_t &access, const command_t &command);
  bool check_others(unsigned agent, const core_access_t &access, const command_t &command);
  bool check_lines(const core_access_t &access, const command_t &command);
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
  std::unique_ptr<attention_engine> engine_;  // null: it has none
  std::vector<std::unique_ptr<pipe>> pipes_;
  pipe_services services_;
  std::unique_ptr<gdb_server> debugger_;                     // null: nobody has asked for one
  std::map<std::string, std::unique_ptr<scalar>> programs_;  // by firmware file
  scalar *scalar_ = nullptr;                                 // the one that runs
  const pipe *full_ = nullptr;                               // the scalar core waits for room in it
  uint64_t pushes_ = 0;
  std::shared_ptr<const vector_clock> waited_;  // what the program has waited for itself, ...
  unsigned untold_ = 0;                         // ... of which these pipes have not been told
};

}  // namespace soc

#endif
