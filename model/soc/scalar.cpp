// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar.h"

#include <cstdio>
#include <cstring>

#include "soc/core_unit.h"

namespace soc {

scalar::scalar(sc_core::sc_module_name name, core_unit &core)
    : sc_module(name), core_(core), sim_(core.sim()) {
  SC_HAS_PROCESS(scalar);
  SC_THREAD(main);
  set_stack_size(1 << 20);   // an instruction set simulator lives on it
}

void scalar::main() {
  run();
  halted_ = true;
}

void scalar::sleep_forever() {
  for (;;) {
    wait(never_);
  }
}

void scalar::spend(uint64_t instructions) {
  sim_.result.scalar_instructions += instructions;
  const double spent = static_cast<double>(instructions) * sim_.config.scalar.cpi;
  wait(cycles(static_cast<uint64_t>(spent) + sim_.config.scalar.push_cycles));
}

uint64_t scalar::read_register(uint64_t offset) {
  switch (offset) {
    case REG_CORE_KIND:
      return core_.kind();
    case REG_CORE_INDEX:
      return core_.index();
    case REG_CORE_COUNT:
      return sim_.config.soc.ai_cores;
    case REG_SUB_INDEX:
      return core_.sub();
    case REG_SUB_COUNT:
      return sim_.config.soc.vector_cores;
    case REG_ARGS:
      return GM_BASE;
    default:
      sim_.stop(SOC_STOPPED, core_.name() + " firmware reads register offset " +
                                 std::to_string(offset) + ", which cannot be read" + where());
      return 0;
  }
}

void scalar::write_register(uint64_t offset, uint64_t value) {
  switch (offset) {
    case REG_PUSH:
      return push(value);
    case REG_HALT:
      if (value != 0) {
        sim_.stop(SOC_STOPPED,
                  core_.name() + " firmware panic, code " + std::to_string(value) + where());
      }
      halted_ = true;
      return;
    case REG_PUTC:
      log_ += static_cast<char>(value);
      if (log_.back() == '\n') {
        std::fprintf(stderr, "%s: %s", core_.name().c_str(), log_.c_str());
        log_.clear();
      }
      return;
    default:
      sim_.stop(SOC_STOPPED, core_.name() + " firmware writes register offset " +
                                 std::to_string(offset) + ", which cannot be written" + where());
  }
}

void scalar::push(uint64_t address) {
  cmd_header_t header;
  const void *bytes = local_memory(address, sizeof header);
  if (bytes != nullptr) {
    std::memcpy(&header, bytes, sizeof header);
    static const uint64_t size_of[] = {
#define COMMAND(NAME, name, pipes, text) sizeof(cmd_##name##_t),
#define FIELD(type, name, text)
#define END_COMMAND(name)
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND
    };
    command_t command = {};
    const uint64_t size = header.opcode_ < OP_COUNT ? size_of[header.opcode_] : sizeof header;
    bytes = local_memory(address, size);
    if (bytes != nullptr) {
      std::memcpy(static_cast<void *>(&command), bytes, size);
      return core_.push(command);
    }
  }
  sim_.stop(SOC_STOPPED, core_.name() + " firmware pushes a command at address " +
                             std::to_string(address) + ", outside its memory" + where());
}

std::unique_ptr<scalar> make_scalar(const std::string &name, core_unit &core) {
  return core.sim().options.firmware == SOC_FIRMWARE_RISCV ? make_scalar_riscv(name, core)
                                                           : make_scalar_native(name, core);
}

}  // namespace soc
