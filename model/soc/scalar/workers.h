// Host threads that run the programs of scalar cores, a stretch of one and then of another: few programs have
// something to do at once, and a thread for each would do little but sleep and wake.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_WORKERS_H
#define AMALGAM_SOC_SCALAR_WORKERS_H

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace soc {

// A program that pauses.
class stretching {
 public:
  virtual void stretch() = 0;

 protected:
  ~stretching() = default;
};

class workers {
 public:
  // Programs for the emulator: it is loaded at once, in a thread of its own.
  explicit workers(bool emulated);
  // No program may run any more.
  ~workers();
  workers(const workers &) = delete;
  workers &operator=(const workers &) = delete;

  // A program can go on: a thread will run a stretch of it.
  void add(stretching &program);
  // The simulation waits for this one: it is the next, if it waits here.
  void prefer(stretching &program);
  // ... and has waited for long: there is one thread more, for the others may run in circles.
  void insist(stretching &program);
  // True: it was waiting here, and nobody will run it.
  bool remove(const stretching &program);

  // The calling thread is going to sleep in the middle of a program, or goes on; others run meanwhile.
  void away();
  void back();

 private:
  void work();
  void call();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<stretching *> waiting_;
  unsigned most_;  // threads that run at once; those that are away do not count
  unsigned idle_ = 0, running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace soc

#endif
