// Windows of --timeline-window and --trace-window: from one mark to another, each a cycle or a command of
// the machine, as cube1.mmad#10.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_WINDOW_H
#define AMALGAM_SOC_WATCH_WINDOW_H

#include <cstdint>
#include <string>

#include "core/core.h"
#include "soc/soc.h"

namespace soc {

// A name as marks and signals have it.
std::string lower(const char *text);

// "cube3", "vector3_1"; sub: which of the vector cores of an AI core.
std::string core_name(core_kind_t kind, unsigned index, unsigned sub);

// Is there a core of this name?
bool core_exists(const std::string &core, const config_soc_t &soc);

// A mark of a window whose command is looked for.
class command_mark {
 public:
  // Throws if there is no such core, pipe or command in this machine.
  command_mark(const waves_mark_t &mark, const config_t &config, const char *option);
  bool named() const { return opcode_ < OP_COUNT; }
  // True once: this is the command.
  bool meets(const std::string &core, const command_t &command);

 private:
  unsigned opcode_ = OP_COUNT;
  unsigned pipe_ = PIPE_COUNT;
  std::string core_;
  uint64_t left_;
};

// Cycles that are written.
struct cycle_window {
  uint64_t from = 0, to = UINT64_MAX;
  // A command is at work in the cycles before its end, or at its begin if it has no length.
  bool touches(uint64_t begin, uint64_t end) const { return begin <= to && (end > begin ? end - 1 : begin) >= from; }
};

}  // namespace soc

#endif
