// SPDX-License-Identifier: Apache-2.0
#include "soc/memory/lazy_inputs.h"

#include <sys/mman.h>

#include <algorithm>

#include "hal/registers.h"

namespace soc {

lazy_inputs &the_lazy_inputs() {
  static lazy_inputs inputs;
  return inputs;
}

void lazy_inputs::add(uint8_t *begin, uint64_t bytes, soc_make_fn *make, const void *context, size_t context_bytes) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(begin) / kChunk;
  const uintptr_t last = (reinterpret_cast<uintptr_t>(begin) + bytes - 1) / kChunk;
  const auto *copied = static_cast<const uint8_t *>(context);
  arrays_.push_back(std::make_unique<array>(array{
      begin, begin + bytes, first, make, {copied, copied + context_bytes}, std::vector<chunk>(last - first + 1)}));
}

void lazy_inputs::clear() {
  arrays_.clear();
  there_.clear();
  kept_ = kKept;
}

// Visits the chunks that such a range has a part of.
template <typename visit_fn>
void lazy_inputs::for_chunks(const uint8_t *begin, uint64_t bytes, visit_fn visit) {
  for (const auto &of : arrays_) {
    const uint8_t *from = std::max<const uint8_t *>(begin, of->begin);
    const uint8_t *to = std::min<const uint8_t *>(begin + bytes, of->end);
    if (from < to) {
      const size_t first = reinterpret_cast<uintptr_t>(from) / kChunk - of->first_chunk;
      const size_t last = (reinterpret_cast<uintptr_t>(to) - 1) / kChunk - of->first_chunk;
      for (size_t i = first; i <= last; ++i) {
        visit(*of, i);
      }
    }
  }
}

// The pages of a chunk that is not needed become this one's, which saves taking new ones and clearing them.
void lazy_inputs::make_room(uint8_t *begin, bool whole) {
  if (!whole || there_.size() * kChunk < kept_) {
    return;
  }
  const auto oldest =
      std::find_if(there_.begin(), there_.end(), [](const whole_chunk &c) { return c.what->holders == 0; });
  if (oldest == there_.end()) {
    return;
  }
  constexpr int kHow = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  if (mremap(oldest->begin, kChunk, kChunk, kHow, begin) == MAP_FAILED) {
    madvise(oldest->begin, kChunk, MADV_DONTNEED);
  }
  oldest->what->state = chunk::ABSENT;
  there_.erase(oldest);
}

void lazy_inputs::need(array &of, size_t index, std::unique_lock<std::mutex> &lock) {
  chunk &c = of.chunks[index];
  ++c.holders;
  made_.wait(lock, [&c] { return c.state != chunk::BEING_MADE; });
  if (c.state == chunk::THERE) {
    return;
  }
  auto *chunk_begin = reinterpret_cast<uint8_t *>((of.first_chunk + index) * kChunk);
  uint8_t *begin = std::max(chunk_begin, of.begin);
  uint8_t *end = std::min(chunk_begin + kChunk, of.end);
  const bool whole = end - begin == static_cast<ptrdiff_t>(kChunk);
  make_room(begin, whole);
  c.state = chunk::BEING_MADE;
  lock.unlock();
  of.make(of.context.data(), static_cast<uint64_t>(begin - of.begin), static_cast<uint64_t>(end - begin), begin);
  lock.lock();
  c.state = chunk::THERE;
  if (whole) {
    there_.push_back({&c, begin});
  }
  made_.notify_all();
}

void lazy_inputs::hold(const uint8_t *begin, uint64_t bytes) {
  std::unique_lock<std::mutex> lock(mutex_);
  for_chunks(begin, bytes, [&](array &of, size_t index) { need(of, index, lock); });
}

void lazy_inputs::let_go(const uint8_t *begin, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for_chunks(begin, bytes, [](array &of, size_t index) { --of.chunks[index].holders; });
}

// A gather may read any row, and what reads at two places does not do so often: all there is.
held_inputs::held_inputs(lazy_inputs &inputs, const core_memory_t &memory, const command_t &command) : inputs_(inputs) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = inputs.empty() ? 0 : core_accesses(&command, access);
  for (size_t i = 0; i < count; ++i) {
    const core_access_t &a = access[i];
    if (a.space == SPACE_GM && !a.write) {
      const bool all = bytes_ > 0 || command.header.opcode_ == OP_GATHER_IN;
      begin_ = memory.base[SPACE_GM] + (all ? 0 : a.base - GM_BASE);
      bytes_ = all ? memory.bytes[SPACE_GM] : (a.rows - 1) * a.pitch + a.row_bytes;
    }
  }
  if (bytes_ > 0) {
    inputs.hold(begin_, bytes_);
  }
}

held_inputs::~held_inputs() {
  if (bytes_ > 0) {
    inputs_.let_go(begin_, bytes_);
  }
}

}  // namespace soc

extern "C" void soc_hold(const void *begin, uint64_t bytes) {
  soc::the_lazy_inputs().hold(static_cast<const uint8_t *>(begin), bytes);
}

extern "C" void soc_let_go(const void *begin, uint64_t bytes) {
  soc::the_lazy_inputs().let_go(static_cast<const uint8_t *>(begin), bytes);
}
