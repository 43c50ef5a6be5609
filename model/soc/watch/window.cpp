// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/window.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "core/core.h"

namespace soc {
namespace {

// Of the first core that can push it, if the mark names none: by its only pipe.
const char *usual_core(unsigned pipe) {
  return pipe == PIPE_V || pipe == PIPE_MTE3                            ? "vector0_0"
         : pipe == PIPE_LOAD || pipe == PIPE_ATTN || pipe == PIPE_STORE ? "engine0"
                                                                        : "cube0";
}

}  // namespace

std::string lower(const char *text) {
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

bool core_exists(const std::string &core, const config_soc_t &soc) {
  for (unsigned i = 0; i < soc.ai_cores; ++i) {
    if (core == "cube" + std::to_string(i)) {
      return true;
    }
    for (unsigned sub = 0; sub < soc.vector_cores; ++sub) {
      if (core == "vector" + std::to_string(i) + "_" + std::to_string(sub)) {
        return true;
      }
    }
  }
  for (unsigned i = 0; i < soc.engines; ++i) {
    if (core == "engine" + std::to_string(i)) {
      return true;
    }
  }
  return false;
}

// --- marks ------------------------------------------------------------------------------------

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
  core_ = mark.core[0] != '\0' ? mark.core : opcode_ == OP_COPY_IN ? "vector0_0" : usual_core(pipe_);
  if (!core_exists(core_, config.soc)) {
    refuse("no core '" + core_ + "' in this machine");
  }
}

bool command_mark::meets(const std::string &core, const command_t &command) {
  return command.header.opcode_ == opcode_ && command.header.pipe_ == pipe_ && left_ != 0 && core == core_ &&
         --left_ == 0;
}

}  // namespace soc
