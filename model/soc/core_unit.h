// A cube or vector core: private memories, a scalar core that issues commands, and the pipes that
// carry them out.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_CORE_UNIT_H
#define SOC_CORE_UNIT_H

#include <memory>
#include <string>
#include <vector>

#include "core/core.h"
#include "soc/flags.h"
#include "soc/gm.h"
#include "soc/pipe.h"
#include "soc/scalar.h"
#include "soc/simulation.h"

namespace soc {

class core_unit {
 public:
  // index: AI core; sub: vector core within it; senders: cores whose cross-core flags come here.
  core_unit(simulation &sim, global_memory &gm, core_kind_t kind, unsigned index, unsigned sub,
            size_t senders);

  // Cores that CROSS_SET on this one reaches, and as which sender.
  void connect(core_unit &receiver, size_t as_sender) { receivers_.push_back({&receiver, as_sender}); }

  // Checks a command and queues it; blocks the calling scalar while the queue is full.
  void push(const command_t &command);
  // Raises a cross-core flag on every connected core.
  void cross_set(const cmd_cross_set_t &command, const vector_clock &clock);

  bool idle() const;                                  // program ended, pipes empty
  void describe_blocked(std::vector<std::string> &lines);
  void check_flags_down();

  simulation &sim() { return sim_; }
  global_memory &gm() { return gm_; }
  core_kind_t kind() const { return kind_; }
  unsigned index() const { return index_; }
  unsigned sub() const { return sub_; }
  const std::string &name() const { return name_; }
  const core_memory_t &memory() const { return memory_; }
  race_memory &races(core_space_t space) { return space == SPACE_GM ? gm_.races() : races_[space]; }
  flag_board &flags() { return flags_; }
  cross_flag_board &cross_flags() { return cross_flags_; }
  const std::vector<std::unique_ptr<pipe>> &pipes() const { return pipes_; }

 private:
  void add_memory(core_space_t space, uint64_t kib);

  simulation &sim_;
  global_memory &gm_;
  core_kind_t kind_;
  unsigned index_, sub_;
  std::string name_;
  std::vector<std::unique_ptr<uint8_t[]>> storage_;
  core_memory_t memory_{};
  race_memory races_[SPACE_COUNT];
  flag_board flags_;
  cross_flag_board cross_flags_;
  struct receiver {
    core_unit *core;
    size_t as_sender;
  };
  std::vector<receiver> receivers_;
  std::vector<std::unique_ptr<pipe>> pipes_;
  std::unique_ptr<scalar> scalar_;
};

}  // namespace soc

#endif
