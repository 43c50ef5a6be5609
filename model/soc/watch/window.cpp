// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/window.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace soc {
std::string lower(const char *text) {
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

std::string core_name(core_kind_t kind, unsigned index, unsigned sub) {
  return core_kind_name(kind) + std::to_string(index) + (kind == CORE_VECTOR ? "_" + std::to_string(sub) : "");
}

bool core_exists(const std::string &core, const config_soc_t &soc) {
  for (unsigned kind = 0; kind < CORE_KIND_COUNT; ++kind) {
    const auto of = static_cast<core_kind_t>(kind);
    for (unsigned i = 0, count = core_kind_count(of, &soc); i < count; ++i) {
      const unsigned each = count / core_kind_groups(of, &soc);
      if (core == core_name(of, i / each, i % each)) {
        return true;
      }
    }
  }
  return false;
}

// --- marks ------------------------------------------------------------------------------------

// The first kind of core that takes the command on this pipe.
static core_kind_t first_kind(unsigned opcode, unsigned pipe) {
  auto kind = core_kind_t{};
  while ((core_command_cores(opcode) >> kind & 1) == 0 || !core_has_pipe(kind, pipe)) {
    kind = static_cast<core_kind_t>(kind + 1);
  }
  return kind;
}

command_mark::command_mark(const waves_mark_t &mark, const config_t &config, const char *option) : left_(mark.number) {
  if (mark.command[0] == '\0') {
    return;
  }
  const auto refuse = [option](const std::string &what) {
    throw std::runtime_error(std::string("--") + option + ": " + what);
  };
  for (unsigned opcode = 0; opcode < OP_COUNT; ++opcode) {
    opcode_ = lower(core_command_name(opcode)) == mark.command ? opcode : opcode_;
  }
  if (!named()) {
    refuse(std::string("no command '") + mark.command + "'; amalgam commands lists them");
  }
  unsigned count = 0;
  for (unsigned pipe = 0; pipe < PIPE_COUNT; ++pipe) {
    const bool takes_it = (core_command_pipes(opcode_) >> pipe & 1) != 0;
    if (takes_it && (mark.pipe[0] == '\0' || lower(core_pipe_name(pipe)) == mark.pipe)) {
      pipe_ = pipe;
      ++count;
    }
  }
  if (count != 1) {
    refuse(count == 0 ? std::string("pipe '") + mark.pipe + "' takes no " + mark.command
                      : std::string(mark.command) + ": say of which pipe, as cube0.m." + mark.command + "#1");
  }
  core_ = mark.core[0] != '\0' ? mark.core : core_name(first_kind(opcode_, pipe_), 0, 0);
  if (!core_exists(core_, config.soc)) {
    refuse("no core '" + core_ + "' in this machine");
  }
}

bool command_mark::meets(const std::string &core, const command_t &command) {
  return command.header.opcode_ == opcode_ && command.header.pipe_ == pipe_ && left_ != 0 && core == core_ &&
         --left_ == 0;
}

}  // namespace soc
