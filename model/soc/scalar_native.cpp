// Firmware built for the host, called in the scalar core's own thread.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstring>
#include <stdexcept>

#include "hal/native.h"
#include "soc/core_unit.h"
#include "soc/scalar.h"

namespace soc {
namespace {

class scalar_native : public scalar {
 public:
  scalar_native(sc_core::sc_module_name name, core_unit &core);

 private:
  void run() override;
  command_t pushed(uint64_t address) override;
  // Register accesses of the core whose thread runs.  Threads change hands only inside them.
  static uint64_t host_read(scalar_register reg);
  static void host_write(scalar_register reg, uint64_t value);
  static const void *host_gm(uint64_t address);

  static scalar_native *current;
  void (*entry_)() = nullptr;
};

scalar_native *scalar_native::current = nullptr;

scalar_native::scalar_native(sc_core::sc_module_name name, core_unit &core) : scalar(name, core) {
  static const hal_host_t host = {host_read, host_write, host_gm};
  void *library = dlopen(sim_.options.firmware_file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(std::string("firmware: ") + dlerror());
  }
  const char *symbol = core.kind() == CORE_CUBE ? "cube_main" : "vector_main";
  entry_ = reinterpret_cast<void (*)()>(dlsym(library, symbol));
  auto **host_slot = static_cast<const hal_host_t **>(dlsym(library, "hal_host"));
  if (entry_ == nullptr || host_slot == nullptr) {
    throw std::runtime_error(std::string("firmware: ") + sim_.options.firmware_file +
                             " does not define " + symbol + " and hal_host");
  }
  *host_slot = &host;
  Dl_info where;
  if (dladdr(reinterpret_cast<void *>(entry_), &where) != 0) {
    sim_.lines.set_load_base(reinterpret_cast<uint64_t>(where.dli_fbase));
  }
}

// The firmware has it on its stack.
command_t scalar_native::pushed(uint64_t address) {
  static const uint64_t size_of[] = {
#define COMMAND(NAME, name, pipes, text) sizeof(cmd_##name##_t),
#define FIELD(type, name, text)
#define END_COMMAND(name)
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND
  };
  const void *bytes = reinterpret_cast<const void *>(address);
  command_t command = {};
  std::memcpy(static_cast<void *>(&command.header), bytes, sizeof command.header);
  if (command.header.opcode_ < OP_COUNT) {
    std::memcpy(static_cast<void *>(&command), bytes, size_of[command.header.opcode_]);
  }
  return command;
}

void scalar_native::run() {
  current = this;
  entry_();
}

uint64_t scalar_native::host_read(scalar_register reg) {
  scalar_native *self = current;
  self->spend(0);
  const uint64_t value = self->read_register(reg);
  if (self->sim_.stopped()) {
    self->sleep_forever();
  }
  current = self;
  return value;
}

void scalar_native::host_write(scalar_register reg, uint64_t value) {
  scalar_native *self = current;
  self->spend(0);
  self->write_register(reg, value);
  if (self->sim_.stopped() || self->halted_) {
    self->sleep_forever();
  }
  current = self;
}

const void *scalar_native::host_gm(uint64_t address) {
  return current->core_.gm().base() + (address - GM_BASE);
}

}  // namespace

std::unique_ptr<scalar> make_scalar_native(const std::string &name, core_unit &core) {
  return std::make_unique<scalar_native>(name.c_str(), core);
}

}  // namespace soc
