// The effects of commands on memories, done late: pipes log each command with the cycle it takes effect,
// and the effects of an AI core are carried out in the order of those cycles, in bulk and on
// several threads, one AI core on one of them at a time.  AI cores share nothing they write (the
// race detector sees to that) but across a SYNC_ALL, where everything is brought up to date.  If they do, and nobody
// stops the run, all effects are carried out one after the other.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_ARITHMETIC_H
#define AMALGAM_SOC_CORES_ARITHMETIC_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/core.h"
#include "soc/cores/fifo.h"
#include "soc/soc.h"
#include "soc/races/race_detector.h"

namespace soc {

class arithmetic {
 public:
  // Wall time by kind, summed over threads.
  struct seconds {
    double matmul = 0, vector = 0, copy = 0;
  };
  using execute_fn = std::function<void(uint64_t cycle, const core_memory_t &, const command_t &, uint32_t note)>;

  // threads: the calling one included.  execute: carries out one command.
  arithmetic(unsigned ai_cores, unsigned threads, execute_fn execute);
  ~arithmetic();
  arithmetic(const arithmetic &) = delete;
  arithmetic &operator=(const arithmetic &) = delete;

  // A command of a pipe takes effect; cycles of one pipe come in order. note: for execute.
  void add(unsigned ai_core, unsigned agent, uint64_t cycle, const core_memory_t &memory, const command_t &command,
           uint32_t note);
  // From now on AI cores share what they write: effects of all of them come in the order of cycles, so that there is
  // one result whatever the threads.
  void put_in_order();
  bool is_in_order() const { return in_order_; }
  // All commands with a cycle up to now have been added: they may be carried out.
  void settle(uint64_t now);
  // As many entries as are worth a settle?
  bool is_long() const { return logged_ >= kLong; }
  // Carries out what an AI core has up to now, and returns when that is done. Other threads begin with what others have
  // before now.
  void finish(unsigned ai_core, uint64_t now);
  void finish_all(uint64_t now);
  seconds spent() const;

 private:
  static constexpr size_t kLong = 1 << 16;     // entries between two calls of settle
  static constexpr size_t kBacklog = 1 << 18;  // entries not carried out before this thread helps, or waits

  struct entry {
    uint64_t cycle;
    uint32_t note;
    const core_memory_t *memory;
    command_t command;
  };
  struct log {                               // of one AI core
    fifo<entry> of_agent[kAgents];           // as they come
    std::deque<std::vector<entry>> batches;  // in order of cycles; under mutex_, as what follows
    bool taken = false;                      // a thread works on the front batch
  };

  size_t merge(log &core, uint64_t now, std::vector<entry> &out);
  void hand_over(unsigned ai_core, uint64_t now);
  void hand_over_in_order(uint64_t now);
  void give(unsigned ai_core, std::vector<entry> &&batch);
  void hand_over_all(uint64_t now);
  bool work_one(std::unique_lock<std::mutex> &lock);
  void finish_waiting(std::unique_lock<std::mutex> &lock);
  void carry_out(const std::vector<entry> &batch);
  void worker();

  std::vector<log> cores_;
  execute_fn execute_;
  size_t logged_ = 0;
  bool in_order_ = false;
  std::vector<std::thread> workers_;
  mutable std::mutex mutex_;
  std::condition_variable work_, done_;
  std::deque<unsigned> ready_;  // AI cores with batches that no thread has taken
  size_t waiting_ = 0;          // entries in batches
  std::atomic<bool> stopping_{false};
  seconds spent_;
};

}  // namespace soc

#endif
