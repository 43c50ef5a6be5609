// A queue in a ring that grows and never shrinks: std::deque gives its blocks back and takes new
// ones all the time, which shows in queues that are mostly empty.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_FIFO_H
#define AMALGAM_SOC_CORES_FIFO_H

#include <cstddef>
#include <utility>
#include <vector>

namespace soc {

template <typename T>
class fifo {
 public:
  bool empty() const { return first_ == end_; }
  size_t size() const { return end_ - first_; }
  // index counts from the front.
  T &operator[](size_t index) { return ring_[(first_ + index) & (ring_.size() - 1)]; }
  const T &operator[](size_t index) const { return ring_[(first_ + index) & (ring_.size() - 1)]; }
  T &front() { return (*this)[0]; }
  const T &front() const { return (*this)[0]; }
  const T &back() const { return (*this)[size() - 1]; }
  void pop_front() { ++first_; }
  void push_back(const T &value) { add_back() = value; }
  // The new last one, with what was left in its place.
  T &add_back() {
    if (size() == ring_.size()) {
      grow();
    }
    return ring_[end_++ & (ring_.size() - 1)];
  }

 private:
  void grow() {
    std::vector<T> larger(ring_.empty() ? 2 : 2 * ring_.size());
    const size_t count = size();
    for (size_t i = 0; i < count; ++i) {
      larger[i] = std::move((*this)[i]);
    }
    ring_ = std::move(larger);
    first_ = 0;
    end_ = count;
  }

  std::vector<T> ring_;         // a power of two
  size_t first_ = 0, end_ = 0;  // counts of what went out and came in
};

}  // namespace soc

#endif
