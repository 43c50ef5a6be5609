// The machine's own signals in waveforms: their names, and when they change (waves.h has the list).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_SIGNALS_H
#define AMALGAM_SOC_WATCH_SIGNALS_H

#include <string>
#include <vector>

#include "soc/watch/watcher.h"
#include "soc/watch/waves.h"

namespace soc {

class signals : public watcher {
 public:
  explicit signals(waves &trace) : trace_(trace) {}

  void add_core(const watched_core &) override;
  void add_die(unsigned die) override;
  void add_slice(unsigned slice) override;
  void reached(uint64_t cycle) override { trace_.reach(cycle); }
  void scalar_is(unsigned core, scalar_state state, uint64_t cycle) override;
  void pipe_is(unsigned track, activity what, const command_t *command, uint64_t number, uint64_t cycle) override;
  void pushed(unsigned track, uint64_t cycle) override;
  void began(unsigned track, const command_t &command, uint64_t cycle) override;
  void ended(unsigned track, const command_t &command, uint64_t cycle) override;
  void flag_up(unsigned core, unsigned from, const cmd_set_flag_t &set, uint64_t up) override;
  void flag_taken(unsigned core, unsigned to, const cmd_wait_flag_t &wait, uint64_t up, uint64_t taken) override;
  void cross_flag_up(unsigned core, size_t sender, const cmd_cross_set_t &set, uint64_t up) override;
  void cross_flag_taken(unsigned core, size_t sender, const cmd_cross_set_t &set, uint64_t up, uint64_t taken) override;
  void bandwidth(unsigned die, const die_load &load, uint64_t cycle) override;
  void beats_wait(unsigned slice, int64_t more, uint64_t cycle) override;

 private:
  // Numbers of signals in waves.
  struct core_signals {
    std::string name;
    uint32_t scalar = 0;
    uint32_t flags[PIPE_COUNT][PIPE_COUNT] = {};
    std::vector<uint32_t> cross;  // sender * CROSS_FLAGS + flag
    uint32_t reading[SPACE_COUNT] = {}, writing[SPACE_COUNT] = {};
  };
  struct pipe_signals {
    unsigned core;
    uint32_t state, command, number, queue, rate;
  };
  struct die_signals {
    uint32_t moves, hbm, l2;
  };
  void add_flags(core_signals &to, const watched_core &core);
  void add_memories(core_signals &to, const watched_core &core);
  void change_accesses(unsigned track, const command_t &command, uint64_t cycle, int sign);

  waves &trace_;
  std::vector<core_signals> cores_;
  std::vector<pipe_signals> pipes_;  // by track
  std::vector<die_signals> dies_;
  std::vector<uint32_t> slices_;
};

}  // namespace soc

#endif
