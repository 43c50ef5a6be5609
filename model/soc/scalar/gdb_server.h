// A scalar core's debugger: GDB's remote serial protocol over TCP, on this host only.
//
// It runs in the firmware's thread, between two instructions.  While the program stands, nothing of it
// reaches the simulation, whose time stands with it: no event is taken before every scalar core has
// gone as far as it can (scheduler.h).
//
// `monitor` asks about the machine (inspect/inspector.h), whose time stands.
// There are breakpoints, steps, continue, Ctrl-C, registers, memory, detach and kill (which ends the run
// as Ctrl-C does).  The program counter can be written: the program goes on there (`jump`).
//
// Source: GDB's manual, appendix E, "GDB Remote Serial Protocol".
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_GDB_SERVER_H
#define AMALGAM_SOC_SCALAR_GDB_SERVER_H

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace soc {

class gdb_server {
 public:
  // The program that it debugs.  Registers 0 .. 31, and 32: the program counter.
  class target {
   public:
    virtual ~target() = default;
    virtual uint64_t read_register(unsigned number) = 0;
    virtual bool write_register(unsigned number, uint64_t value) = 0;
    virtual bool read_memory(uint64_t address, uint8_t *bytes, size_t count) = 0;
    virtual bool write_memory(uint64_t address, const uint8_t *bytes, size_t count) = 0;
    // It is going to stand; and is the run over?
    virtual void standing() = 0;
    virtual bool abandoned() const = 0;
    // The answer to `monitor REQUEST`, lines that end.
    virtual std::string ask(const std::string & /*request*/) { return "there is nothing to be asked\n"; }
  };
  enum { kPc = 32, kRegisters = 33, SIGNAL_TRAP = 5, SIGNAL_ABORT = 6, SIGNAL_SEGV = 11, SIGNAL_INT = 2 };

  // port: 0 for any that is free.  Throws std::runtime_error if it is taken.
  gdb_server(const std::string &core, unsigned port);
  // With a debugger that is there already, on this socket.
  struct connection {
    int socket;
  };
  gdb_server(const std::string &core, connection debugger) : core_(core), client_(debugger.socket) {}
  ~gdb_server();
  gdb_server(const gdb_server &) = delete;
  gdb_server &operator=(const gdb_server &) = delete;

  // A program begins: waits for a debugger; the program stops at its first instruction.  Every launch of
  // a program does, until a debugger has detached.
  void begin(target &program, const std::string &firmware);
  // Before the instruction at pc.
  void before(uint64_t pc) {
    pc_ = pc;
    if (stepping_ || breakpoints_.count(pc) != 0 || (++since_look_ >= kLook && asked_to_stop())) {
      stop(stepping_ || breakpoints_.count(pc) != 0 ? SIGNAL_TRAP : SIGNAL_INT);
    }
  }
  uint64_t pc() const { return pc_; }
  // Stands until the debugger says how to go on.
  void stop(unsigned signal);
  // The program has ended, by a signal if that is not 0.
  void exited(unsigned signal);

 private:
  enum { kLook = 4096 };  // instructions between two looks for Ctrl-C
  bool connected() const { return client_ >= 0; }
  bool accept_client();
  bool asked_to_stop();
  int next_byte();
  bool read_packet(std::string &packet);
  void send(const std::string &data);
  void disconnect();
  // Answers a packet; true: the program goes on.
  bool answer(const std::string &packet);
  void answer_query(const std::string &packet);
  void answer_monitor(const std::string &request);
  void answer_read_memory(const std::string &packet);
  void answer_write_memory(const std::string &packet);
  void answer_registers();
  void answer_breakpoint(const std::string &packet);

  uint64_t read(unsigned number) { return number == kPc ? pc_ : target_->read_register(number); }

  const std::string core_;
  target *target_ = nullptr;
  int listener_ = -1, client_ = -1;
  unsigned port_ = 0;
  std::string received_;
  size_t next_ = 0;
  std::set<uint64_t> breakpoints_;
  bool stepping_ = false, acknowledges_ = true, detached_ = false;
  unsigned signal_ = SIGNAL_TRAP;
  unsigned since_look_ = 0;
  uint64_t pc_ = 0;
};

}  // namespace soc

#endif
