// Firmware built for the host, called in the scalar core's own thread.  It cannot be made to return:
// a program that has ended in the middle of a call sleeps for good.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "hal/native.h"
#include "host/interrupt.h"
#include "host/limits.h"
#include "soc/memory/gm.h"
#include "soc/scalar/scalar.h"

namespace soc {
namespace {

// The stack of a core's thread, and what is said when firmware needs more. Its handler has another one.
struct native_stack {
  uintptr_t low = 0;  // about where the guard is
  char text[160];
  std::unique_ptr<char[]> handlers;
};
thread_local native_stack stack;

// Other faults are left to whoever debugs the firmware.
void on_fault(int number, siginfo_t *info, void *) {
  constexpr uintptr_t kGuard = uintptr_t{HOST_GUARD_KIB} << 10;
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  if (stack.low != 0 && at >= stack.low - kGuard && at < stack.low + kGuard) {
    host_end(stack.text, SOC_STOPPED);
  }
  signal(number, SIG_DFL);
}

void watch_stack(const std::string &core) {
  pthread_attr_t attributes;
  void *low = nullptr;
  size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  std::snprintf(stack.text, sizeof stack.text, "amalgam: %s: native firmware needs more than %d KiB of stack\n",
                core.c_str(), HOST_STACK_KIB);
  stack_t handlers = {};
  sigaltstack(nullptr, &handlers);
  if ((handlers.ss_flags & SS_DISABLE) != 0) {  // a sanitizer has given the thread one, which it frees itself
    stack.handlers.reset(new char[1 << 16]);
    handlers = {stack.handlers.get(), 0, 1 << 16};
    sigaltstack(&handlers, nullptr);
  }
  stack.low = reinterpret_cast<uintptr_t>(low);
}

class scalar_native : public scalar {
 public:
  scalar_native(const scalar_services &services, const std::string &firmware);

 private:
  bool execute() override;
  std::vector<uint64_t> calls() override;
  void sleep_if_ended();
  command_t pushed(uint64_t address) override;
  // Register accesses of the core whose thread this is.
  static uint64_t host_read(scalar_register reg);
  static void host_write(scalar_register reg, uint64_t value);
  static const void *host_gm(uint64_t address);

  static thread_local scalar_native *current;
  void (*entry_)() = nullptr;
  void *base_ = nullptr;  // of the shared object
};

thread_local scalar_native *scalar_native::current = nullptr;

scalar_native::scalar_native(const scalar_services &services, const std::string &firmware)
    : scalar(services, firmware, false) {
  static const hal_host_t host = {host_read, host_write, host_gm};
  void *library = dlopen(firmware.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(std::string("firmware: ") + dlerror());
  }
  entry_ = reinterpret_cast<void (*)()>(dlsym(library, (std::string(core_kind_name(services.kind)) + "_main").c_str()));
  auto **host_slot = static_cast<const hal_host_t **>(dlsym(library, "hal_host"));
  if (host_slot == nullptr) {
    throw std::runtime_error("firmware: " + firmware + " does not define hal_host");
  }
  if (*host_slot != &host) {  // else a core before this one has written it, whose program may run by now
    *host_slot = &host;
  }
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  Dl_info where;
  if (dladdr(host_slot, &where) != 0) {
    base_ = where.dli_fbase;
    sim_.lines.set_load_base(reinterpret_cast<uint64_t>(where.dli_fbase));
  }
}

// The firmware has it on its stack.
command_t scalar_native::pushed(uint64_t address) {
  static const uint64_t size_of[] = {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) sizeof(cmd_##name##_t),
#include "hal/commands.def"
  };
  const void *bytes = reinterpret_cast<const void *>(address);
  command_t command = {};
  std::memcpy(static_cast<void *>(&command.header), bytes, sizeof command.header);
  if (command.header.opcode_ < OP_COUNT) {
    std::memcpy(static_cast<void *>(&command), bytes, size_of[command.header.opcode_]);
  }
  return command;
}

// This thread's calls within the firmware's shared object.  All are return addresses.
std::vector<uint64_t> scalar_native::calls() {
  enum { MOST = 64 };
  void *stack[MOST];
  const int count = ::backtrace(stack, MOST);
  std::vector<uint64_t> all;
  for (int i = 0; i < count; ++i) {
    Dl_info where;
    if (dladdr(stack[i], &where) != 0 && where.dli_fbase == base_) {
      all.push_back(reinterpret_cast<uint64_t>(stack[i]) - 1);
    }
  }
  return all;
}

// A core that the kernel has no entry for has nothing to do.
bool scalar_native::execute() {
  current = this;
  watch_stack(core_.core);
  if (entry_ != nullptr) {
    entry_();
  }
  return true;
}

uint64_t scalar_native::host_read(scalar_register reg) {
  current->spend(0);
  const uint64_t value = current->read_register(reg);
  current->sleep_if_ended();
  return value;
}

void scalar_native::host_write(scalar_register reg, uint64_t value) {
  current->spend(0);
  current->write_register(reg, value);
  current->sleep_if_ended();
}

void scalar_native::sleep_if_ended() {
  if (ended()) {
    leave(false);  // nothing brings it back through the firmware
    for (;;) {
      pause();
    }
  }
}

const void *scalar_native::host_gm(uint64_t address) { return current->core_.gm.base() + (address - GM_BASE); }

}  // namespace

std::unique_ptr<scalar> make_scalar_native(const scalar_services &services, const std::string &firmware) {
  return std::make_unique<scalar_native>(services, firmware);
}

}  // namespace soc
