// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/simulation.h"

#include <cstdio>

#include "core/core.h"
#include "soc/scalar/elf_image.h"

namespace soc {

shared_firmware &simulation::firmware(const std::string &file) {
  if (firmwares_.count(file) == 0) {
    firmwares_.emplace(file, std::make_shared<shared_firmware>(file, uint64_t{config.scalar.ram_kb} * 1024));
  }
  return *firmwares_.at(file);
}

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
