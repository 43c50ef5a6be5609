// A core's scalar core with its program: runs firmware that reads registers and pushes
// commands.  There are two: an RV64 instruction set simulator, and the same program built for the
// host.
//
// Firmware sees nothing that depends on time: a full queue holds it up and no more.  So it runs in another
// thread, ahead of the simulation, and leaves a list of what it pushed, checked already, and how many of
// its cycles were between; the simulation takes the commands from there as the queues have room.
// Only a READ_GM or READ_VALUE lets it see what commands have done: its thread sleeps until the simulation has come to
// it.  A wait of pipe S holds up the list and not the thread.
//
// A program that can pause is run by one of the workers, until it is far enough ahead; others have a thread of their
// own.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_SCALAR_H
#define AMALGAM_SOC_SCALAR_SCALAR_H

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hal/command.h"
#include "hal/registers.h"
#include "soc/cores/pipe.h"
#include "soc/cores/scheduler.h"
#include "soc/cores/simulation.h"
#include "soc/scalar/workers.h"

namespace soc {

class gdb_server;
class global_memory;

// The destination of a scalar core's commands: its core.
class scalar_port {
 public:
  // Looks at a command before its turn; in any thread.
  virtual pushed_command look_at(const command_t &command) const = 0;
  // Queues it, or ends the run if it is malformed.  False: the queue is full; the scalar core will be called again
  // when it is not.  cycle: of the push, moves on to when there was room.
  virtual bool push(const pushed_command &pushed, uint64_t &cycle) = 0;

 protected:
  ~scalar_port() = default;
};

// The services that a scalar core needs of its core and of the machine. It knows nothing else of them.
struct scalar_services {
  simulation &sim;
  global_memory &gm;
  const std::string &core;  // its name
  core_kind_t kind;
  unsigned number;      // of the core, for those who look on
  unsigned index, sub;  // among those of its kind, and within its AI core
  const core_memory_t &buffers;
  gdb_server *debugger;  // null: nobody has asked for one
  scalar_port &port;
};

class scalar : public task, public stretching {
 public:
  // pauses: it can, and has no thread of its own.
  scalar(const scalar_services &services, std::string firmware, bool pauses);

  // --- the simulation's side ---
  // Runs the program from its beginning; cycle: of the launch.
  void start(uint64_t cycle);
  // Pushes commands until a queue is full, the machine has to catch up, or the program has ended.
  void run(uint64_t now) override;
  // A wait of pipe S is over, the program goes on at a cycle.
  void release(uint64_t cycle);
  // A READ_GM or READ_VALUE has come to its turn; value: what it read.
  void release(uint64_t cycle, uint64_t value);
  bool is_held() const { return held_; }
  // The program has ended and all it pushed is in the queues.
  bool halted() const { return halted_; }
  uint64_t time() const { return time_; }
  // The run is over, the program need not be.  False: it runs in circles, and goes on.
  bool abandon();

  // --- a worker's side ---
  // Runs the program until it is far enough ahead, or over.
  void stretch() override;

 protected:
  // --- the firmware's side, in its thread ---
  // The program is going to run from its beginning.
  virtual void begin() {}
  // Runs the firmware; false: it has paused, and goes on the next time.
  virtual bool execute() = 0;
  // The command that a write of this value to PUSH means.
  virtual command_t pushed(uint64_t value) = 0;
  // The firmware's place, and the places of the calls that led there, innermost first; nothing if that is not
  // known.
  virtual std::vector<uint64_t> calls() { return {}; }

  uint64_t read_register(uint64_t offset);
  void write_register(uint64_t offset, uint64_t value);
  // This core's clock goes on: instructions since the last access, and the access itself.
  void spend(uint64_t instructions);
  // Ends the program; error, if there is one, is what the run is stopped with: SOC_BAD_INPUT if it is none of the
  // firmware's.
  void end(const std::string &error, soc_status_t status = SOC_STOPPED);
  bool ended() const { return ended_ || abandoned_; }
  // After the end: all that was pushed goes to the simulation. returns: and the thread ends.
  void leave(bool returns);
  // Hands over the commands that have been pushed so far.
  void hand_over();
  // A debugger asks about the machine (inspect/inspector.h); sleeps until the simulation's thread has answered.
  std::string question(const std::string &request);
  // It has run for longer than a kernel may take, by these instructions since the last access.
  bool is_too_long(uint64_t instructions) const { return instructions > left_; }
  void end_too_long();
  bool is_abandoned() const { return abandoned_; }
  bool pauses() const { return pauses_; }
  // It is far enough ahead, or the run is over: execute() is to return.
  bool is_to_stop() const { return pausing_ || abandoned_.load(std::memory_order_relaxed); }

  const scalar_services core_;
  simulation &sim_;
  const std::string firmware_;  // its file

 private:
  struct step {
    uint64_t cycles;  // since the step before
    pushed_command pushed;
  };
  static constexpr size_t kBatch = 512, kBatches = 4;
  static constexpr size_t kAhead = 4096;    // commands that this core pushes between two events
  static constexpr size_t kLogLine = 4096;  // characters of a debug line that does not end

  enum activity { RESTING, WAITING, RUNNING_NOW };  // WAITING: for a worker

  void main();
  void push(const command_t &command);
  void hold();
  void go_on();
  void put_character(char c);
  void print_log();
  bool is_far_ahead();
  bool fetch();
  void finish();
  void tell(scalar_state state) const;

  // The firmware's side.
  std::vector<step> batch_;
  uint64_t cycles_ = 0, instructions_ = 0;
  uint64_t left_ = 0;  // instructions until it takes too long
  bool ended_ = false, pausing_ = false;
  double since_ = 0;    // this thread's processor time at the stretch's beginning
  uint64_t panic_ = 0;  // its code
  std::string log_;     // characters of an unfinished debug line

  // Between the two, under mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<step>> ready_;
  std::vector<std::vector<step>> spare_;  // empty ones, to be filled again
  std::atomic<bool> abandoned_{false};
  bool all_handed_over_ = false;  // the program does nothing more
  bool returns_ = false;          // nor does its thread
  activity activity_ = RESTING;   // of a program that pauses
  bool released_ = false;         // from its READ_GM or READ_VALUE
  uint64_t value_ = 0;            // the last one read
  std::string error_;
  soc_status_t error_status_ = SOC_STOPPED;
  std::vector<uint64_t> error_at_;  // and its callers
  double seconds_ = 0;              // of the host

  // The simulation's side.
  const bool pauses_;
  std::thread thread_;  // of a program that does not pause
  std::vector<step> taken_;
  size_t next_ = 0;
  size_t ahead_ = 0;      // commands since ...
  uint64_t event_ = 0;    // this event of the machine's
  bool counted_ = false;  // the next step's cycles are in time_
  uint64_t time_ = 0;     // this core's clock, runs ahead of the machine's (scheduler.h)
  bool halted_ = false;
  bool held_ = false;  // what holds it is in a queue, and not done
};

std::unique_ptr<scalar> make_scalar_riscv(const scalar_services &services, const std::string &firmware);
std::unique_ptr<scalar> make_scalar_native(const scalar_services &services, const std::string &firmware);

}  // namespace soc

#endif
