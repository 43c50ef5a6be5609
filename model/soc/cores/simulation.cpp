// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/simulation.h"

#include <cstdio>

#include "core/core.h"

namespace soc {

void simulation::stop(soc_status_t status, const std::string &message) {
  if (stopped()) {
    return;
  }
  result.status = status;
  std::snprintf(result.error, sizeof result.error, "%s", message.c_str());
  if (sc_core::sc_is_running()) {
    sc_core::sc_stop();
  }
}

std::string simulation::describe(const std::string &core, const command_t &command, unsigned firmware) {
  char text[512];
  core_disassemble(&command, text, sizeof text);
  return core + " " + core_pipe_name(command.header.pipe_) + ": " + text + " at " +
         lines.find(command.header.pc_, firmware);
}

}  // namespace soc
