// Inputs that are made when they are first read: random numbers, which anyone may make again.  They are made in chunks,
// by whoever holds bytes that are not there.  Beyond so many bytes the chunk that was made first, of those that nobody
// holds, gives its memory to the next one.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_LAZY_INPUTS_H
#define AMALGAM_SOC_MEMORY_LAZY_INPUTS_H

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/core.h"
#include "soc/lazy.h"

namespace soc {

class lazy_inputs {
 public:
  static constexpr uint64_t kChunk = 2 << 20;      // as a huge page; at multiples of it
  static constexpr uint64_t kKept = 384 << 20;     // in whole chunks, at least
  static constexpr uint64_t kOfCore = 4 * kChunk;  // what an AI core reads comes from two or three chunks at a time

  explicit lazy_inputs(uint64_t kept = kKept) : kept_(kept) {}
  // Before any thread holds anything.
  void add(uint8_t *begin, uint64_t bytes, soc_make_fn *make, const void *context, size_t context_bytes);
  // There are none, and nobody holds anything.
  void clear();
  bool empty() const { return arrays_.empty(); }
  // So many AI cores read them, each at places of its own.
  void serve(unsigned ai_cores) { kept_ = std::max(kept_, ai_cores * kOfCore); }

  // Any bytes; those of no such input are there.
  void hold(const uint8_t *begin, uint64_t bytes);
  void let_go(const uint8_t *begin, uint64_t bytes);

 private:
  struct chunk {
    enum { ABSENT, BEING_MADE, THERE } state = ABSENT;
    unsigned holders = 0;
  };
  struct array {
    uint8_t *begin, *end;
    uintptr_t first_chunk;  // address over kChunk
    soc_make_fn *make;
    std::vector<uint8_t> context;
    std::vector<chunk> chunks;
  };
  struct whole_chunk {  // of one array, so that its pages may move
    chunk *what;
    uint8_t *begin;
  };

  template <typename visit_fn>
  void for_chunks(const uint8_t *begin, uint64_t bytes, visit_fn visit);
  void need(array &of, size_t index, std::unique_lock<std::mutex> &lock);
  void make_room(uint8_t *begin, bool whole);

  uint64_t kept_;
  std::vector<std::unique_ptr<array>> arrays_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::deque<whole_chunk> there_;  // in the order in which they were made
};

// The lazy inputs of this process.
lazy_inputs &the_lazy_inputs();

// Inputs that a command reads, held for as long as it is carried out.
class held_inputs {
 public:
  held_inputs(lazy_inputs &inputs, const core_memory_t &memory, const command_t &command);
  ~held_inputs();
  held_inputs(const held_inputs &) = delete;
  held_inputs &operator=(const held_inputs &) = delete;

 private:
  lazy_inputs &inputs_;
  const uint8_t *begin_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace soc

#endif
