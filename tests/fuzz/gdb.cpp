// A debugger's input: bytes of its connection, from the first to the last.
// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "fuzz.h"
#include "soc/scalar/gdb_server.h"

namespace {

volatile sig_atomic_t killed;

class program : public soc::gdb_server::target {
 public:
  uint64_t read_register(unsigned number) override { return registers_[number]; }
  bool write_register(unsigned number, uint64_t value) override {
    if (number < soc::gdb_server::kPc) {
      registers_[number] = value;
    }
    return number < soc::gdb_server::kPc;
  }
  bool read_memory(uint64_t address, uint8_t *bytes, size_t count) override {
    const bool good = inside(address, count);
    if (good) {
      std::memcpy(bytes, memory_ + address, count);
    }
    return good;
  }
  bool write_memory(uint64_t address, const uint8_t *bytes, size_t count) override {
    const bool good = inside(address, count);
    if (good) {
      std::memcpy(memory_ + address, bytes, count);
    }
    return good;
  }
  void standing() override {}
  bool abandoned() const override { return killed != 0; }

 private:
  bool inside(uint64_t address, size_t count) const {
    return address < sizeof memory_ && count <= sizeof memory_ - address;
  }
  uint64_t registers_[soc::gdb_server::kRegisters] = {};
  uint8_t memory_[8192] = {};
};

// The debugger's side: sends all, then takes what comes until the other side has gone.
void debugger(int socket, const uint8_t *bytes, size_t size) {
  std::thread sender([=] {
    ssize_t count = 0;
    for (size_t sent = 0; sent < size && count >= 0; sent += static_cast<size_t>(count)) {
      count = send(socket, bytes + sent, size - sent, MSG_NOSIGNAL);
    }
    shutdown(socket, SHUT_WR);
  });
  char reply[4096];
  while (recv(socket, reply, sizeof reply, 0) > 0) {
  }
  sender.join();
  close(socket);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  int ends[2];
  FUZZ_EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  killed = 0;
  void (*const before)(int) = std::signal(SIGINT, [](int) { killed = 1; });  // packet "k"
  std::thread other(debugger, ends[0], bytes, size);
  {
    program target;
    soc::gdb_server server("cube0", soc::gdb_server::connection{ends[1]});
    server.begin(target, "input.elf");
    for (uint64_t pc = 0; pc < 64 && killed == 0; pc += 2) {
      server.before(pc);
    }
    server.stop(soc::gdb_server::SIGNAL_SEGV);
    server.exited(0);
  }
  other.join();
  std::signal(SIGINT, before);
  return 0;
}
