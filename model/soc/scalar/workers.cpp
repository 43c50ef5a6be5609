// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/workers.h"

#include <algorithm>
#include <thread>

#include "soc/scalar/scalar.h"

namespace soc {

constexpr unsigned kMost = 8;

workers::workers() : most_(std::clamp(std::thread::hardware_concurrency(), 1u, kMost)) {}

// Somebody takes up what waits.  Under mutex_.
void workers::call() {
  if (idle_ < waiting_.size() && idle_ + running_ < most_) {
    std::thread(&workers::work, this).detach();   // it sleeps when the process ends
    ++idle_;
  } else {
    changed_.notify_one();
  }
}

void workers::add(scalar &program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(&program);
  call();
}

void workers::prefer(scalar &program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(waiting_.begin(), waiting_.end(), &program);
  if (found != waiting_.end()) {
    std::rotate(waiting_.begin(), found, found + 1);
  }
}

void workers::insist(scalar &program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::find(waiting_.begin(), waiting_.end(), &program) != waiting_.end()) {
    most_ = std::max(most_, running_ + 1);
    call();
  }
}

bool workers::remove(const scalar &program) {
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
    changed_.wait(lock, [this] { return !waiting_.empty() && running_ < most_; });
    scalar &next = *waiting_.front();
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
