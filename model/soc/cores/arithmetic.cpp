// SPDX-License-Identifier: Apache-2.0
#include "soc/cores/arithmetic.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "host/interrupt.h"

namespace soc {
namespace {

using clock = std::chrono::steady_clock;

double between(clock::time_point begin, clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

arithmetic::arithmetic(unsigned ai_cores, unsigned threads, execute_fn execute)
    : cores_(ai_cores), execute_(std::move(execute)) {
  try {
    while (workers_.size() + 1 < threads) {
      workers_.emplace_back(&arithmetic::worker, this);
    }
  } catch (const std::system_error &) {  // no more threads can be started: those that are there do it
  }
}

arithmetic::~arithmetic() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread &thread : workers_) {
    thread.join();
  }
}

void arithmetic::add(unsigned ai_core, unsigned agent, uint64_t cycle, const core_memory_t &memory,
                     const command_t &command, uint32_t note) {
  cores_[ai_core].of_agent[agent].push_back({cycle, note, &memory, command});
  ++logged_;
}

// The entries up to now in order of cycles, those of one cycle in order of agents.
size_t arithmetic::merge(log &core, uint64_t now, std::vector<entry> &out) {
  for (;;) {
    fifo<entry> *first = nullptr;
    for (auto &queue : core.of_agent) {
      if (!queue.empty() && queue.front().cycle <= now &&
          (first == nullptr || queue.front().cycle < first->front().cycle)) {
        first = &queue;
      }
    }
    if (first == nullptr) {
      return out.size();
    }
    out.push_back(first->front());
    first->pop_front();
  }
}

void arithmetic::hand_over(unsigned ai_core, uint64_t now) {
  std::vector<entry> batch;
  if (merge(cores_[ai_core], now, batch) > 0) {
    give(ai_core, std::move(batch));
  }
}

// All are in the first AI core's hands then: one thread works on them.
void arithmetic::hand_over_in_order(uint64_t now) {
  std::vector<entry> batch;
  for (log &core : cores_) {
    merge(core, now, batch);
  }
  std::stable_sort(batch.begin(), batch.end(), [](const entry &a, const entry &b) { return a.cycle < b.cycle; });
  if (!batch.empty()) {
    give(0, std::move(batch));
  }
}

void arithmetic::give(unsigned ai_core, std::vector<entry> &&batch) {
  logged_ -= batch.size();
  const std::lock_guard<std::mutex> lock(mutex_);
  log &core = cores_[ai_core];
  waiting_ += batch.size();
  core.batches.push_back(std::move(batch));
  if (!core.taken && core.batches.size() == 1) {
    ready_.push_back(ai_core);
    work_.notify_one();
  }
}

// Carries out a batch, if there is one that no thread has taken.
bool arithmetic::work_one(std::unique_lock<std::mutex> &lock) {
  if (ready_.empty()) {
    return false;
  }
  const unsigned ai_core = ready_.front();
  ready_.pop_front();
  log &core = cores_[ai_core];
  core.taken = true;
  const std::vector<entry> batch = std::move(core.batches.front());
  core.batches.pop_front();
  lock.unlock();
  carry_out(batch);
  lock.lock();
  waiting_ -= batch.size();
  core.taken = false;
  if (!core.batches.empty()) {
    ready_.push_back(ai_core);
    work_.notify_one();
  }
  done_.notify_all();
  return true;
}

void arithmetic::carry_out(const std::vector<entry> &batch) {
  seconds spent;
  clock::time_point begin = clock::now();
  for (const entry &e : batch) {
    if (stopping_ || host_interrupted()) {
      break;  // the run ends, nobody will see the results
    }
    execute_(e.cycle, *e.memory, e.command, e.note);
    const unsigned opcode = e.command.header.opcode_;
    const clock::time_point end = clock::now();
    (opcode == OP_MMAD                        ? spent.matmul
     : opcode == OP_VEC || opcode == OP_VINST ? spent.vector
                                              : spent.copy) += between(begin, end);
    begin = end;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  spent_.matmul += spent.matmul;
  spent_.vector += spent.vector;
  spent_.copy += spent.copy;
}

void arithmetic::worker() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    if (!work_one(lock)) {
      work_.wait(lock, [this] { return stopping_ || !ready_.empty(); });
    }
  }
}

void arithmetic::hand_over_all(uint64_t now) {
  if (in_order_) {
    return hand_over_in_order(now);
  }
  for (unsigned i = 0; i < cores_.size(); ++i) {
    hand_over(i, now);
  }
}

// What has been handed over lies before the first effect that anything depends on.
void arithmetic::put_in_order() {
  std::unique_lock<std::mutex> lock(mutex_);
  finish_waiting(lock);
  in_order_ = true;
}

void arithmetic::settle(uint64_t now) {
  hand_over_all(now);
  const size_t backlog = workers_.empty() ? 0 : kBacklog;
  std::unique_lock<std::mutex> lock(mutex_);
  while (waiting_ > backlog) {
    if (!work_one(lock)) {
      done_.wait(lock);  // another thread has the only AI core that is behind
    }
  }
}

void arithmetic::finish(unsigned ai_core, uint64_t now) {
  if (in_order_) {
    return finish_all(now);
  }
  hand_over(ai_core, now);
  if (!workers_.empty() && now > 0) {
    hand_over_all(now - 1);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  const log &core = cores_[ai_core];
  while (core.taken || !core.batches.empty()) {
    if (!work_one(lock)) {
      done_.wait(lock);
    }
  }
}

void arithmetic::finish_all(uint64_t now) {
  hand_over_all(now);
  std::unique_lock<std::mutex> lock(mutex_);
  finish_waiting(lock);
}

void arithmetic::finish_waiting(std::unique_lock<std::mutex> &lock) {
  while (waiting_ > 0) {
    if (!work_one(lock)) {
      done_.wait(lock);
    }
  }
}

arithmetic::seconds arithmetic::spent() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return spent_;
}

}  // namespace soc
