// Time of commands, summed up by pipe, command and firmware line over all cores of a kind and all launches
// (soc_result.profile). Sums only: nothing is kept of a single command.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_PROFILE_H
#define AMALGAM_SOC_WATCH_PROFILE_H

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "soc/soc.h"
#include "soc/watch/watcher.h"

namespace soc {

class source_lines;

class profile : public watcher {
 public:
  void add_core(const watched_core &core) override;
  void launched(unsigned firmware) override { firmware_ = firmware; }
  void done(const soc_command_t &command) override;

  // Most cycles first. Names of lines stay where `lines` keeps them.
  std::vector<soc_profile_t> rows(source_lines &lines) const;

 private:
  struct place {  // what a row takes together
    core_kind_t kind;
    unsigned pipe, opcode, op, firmware;
    uint64_t pc;
    bool operator<(const place &other) const {
      return std::tie(kind, pipe, opcode, op, firmware, pc) <
             std::tie(other.kind, other.pipe, other.opcode, other.op, other.firmware, other.pc);
    }
  };
  struct sum {
    uint64_t count = 0, cycles = 0;
  };
  struct track {
    core_kind_t kind;
    unsigned pipe;
  };
  uint64_t pipes_of(const place &of) const;

  unsigned firmware_ = 0;
  std::vector<track> tracks_;
  std::map<place, sum> sums_;
};

}  // namespace soc

#endif
