// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/workers.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "host/limits.h"
#include "host/parallel.h"
#include "soc/scalar/emulator.h"
#include "soc/scalar/unicorn_library.h"

namespace soc {

constexpr size_t kMost = 8;

static void load_emulator() {
  try {
    unicorn();
  } catch (const std::exception &) {  // it is told to whoever needs it
  }
}

workers::workers(bool emulated) : most_(static_cast<unsigned>(std::min(parallel_host_threads(), kMost))) {
  if (emulated) {
    most_ = std::clamp(static_cast<unsigned>(std::min(host_addresses_left() / emulator::addresses(), uint64_t{kMost})),
                       1u, most_);
    std::thread(load_emulator).detach();
  }
}

workers::~workers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread &thread : threads_) {
    thread.join();
  }
}

// Somebody takes up what waits.  Under mutex_.
void workers::call() {
  if (idle_ < waiting_.size() && idle_ + running_ < most_) {
    threads_.emplace_back(&workers::work, this);
    ++idle_;
  } else {
    changed_.notify_one();
  }
}

void workers::add(stretching &program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(&program);
  call();
}

void workers::prefer(stretching &program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(waiting_.begin(), waiting_.end(), &program);
  if (found != waiting_.end()) {
    std::rotate(waiting_.begin(), found, found + 1);
  }
}

void workers::insist(stretching &program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::find(waiting_.begin(), waiting_.end(), &program) != waiting_.end()) {
    most_ = std::max(most_, running_ + 1);
    call();
  }
}

bool workers::remove(const stretching &program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(waiting_.begin(), waiting_.end(), &program);
  const bool there = found != waiting_.end();
  if (there) {
    waiting_.erase(found);
  }
  return there;
}

void workers::away() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --running_;
  if (!waiting_.empty()) {
    call();
  }
}

void workers::back() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++running_;
}

void workers::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || (!waiting_.empty() && running_ < most_); });
    if (stopping_) {
      return;
    }
    stretching &next = *waiting_.front();
    waiting_.pop_front();
    --idle_;
    ++running_;
    lock.unlock();
    next.stretch();
    lock.lock();
    --running_;
    ++idle_;
  }
}

}  // namespace soc
