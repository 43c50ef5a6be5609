// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/simulation.h"

#include <cstdio>

#include "core/core.h"
#include "soc/races/init_check.h"
#include "soc/races/race_list.h"
#include "soc/scalar/elf_image.h"
#include "soc/scalar/emulator.h"
#include "soc/watch/dumps.h"
#include "soc/watch/tensor_book.h"

namespace soc {

simulation::simulation(const soc_options_t &run_options, soc_result_t &run_result)
    : options(run_options),
      config(run_options.config),
      result(run_result),
      trace(run_options.watch.trace != nullptr ? std::make_unique<waves>(run_options) : nullptr),
      races(run_options.list_races ? std::make_unique<race_list>([this](uint64_t pc) { return lines.find(pc); })
                                   : nullptr),
      programs(run_options.firmware == SOC_FIRMWARE_RISCV),
      emulators(std::make_unique<soc::emulators>()) {}

simulation::~simulation() = default;

bool simulation::is_done_in_rtl(const command_t &command) const {
  const unsigned opcode = command.header.opcode_;
  return (core_is_atomic(&command) && options.gm != SOC_GM_C) ||
         ((opcode == OP_LOAD_KV || opcode == OP_ATTN) && options.engine == SOC_ENGINE_RTL);
}

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
}

std::string simulation::describe(const std::string &core, const command_t &command, unsigned firmware) {
  char text[512];
  core_disassemble(&command, text, sizeof text);
  return core + " " + core_pipe_name(command.header.pipe_) + ": " + text + " at " +
         lines.find(command.header.pc_, firmware);
}

}  // namespace soc
