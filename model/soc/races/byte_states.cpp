// SPDX-License-Identifier: Apache-2.0
#include "soc/races/byte_states.h"

#include <algorithm>

namespace soc {

byte_states::byte_states(uint64_t bytes, byte_state initially)
    : blocks_(bytes / kBlock + 1), written_(blocks_.size() / 64 + 1) {
  for (std::atomic<byte_state> &b : blocks_) {
    b.store(initially, std::memory_order_relaxed);
  }
  for (std::atomic<uint64_t> &w : written_) {
    w.store(initially == kWritten ? ~uint64_t{0} : 0, std::memory_order_relaxed);
  }
}

void byte_states::set_block(uint64_t index, byte_state state) {
  std::atomic<uint64_t> &word = written_[index / 64];
  const uint64_t bit = uint64_t{1} << index % 64;
  const uint64_t others = word.load(std::memory_order_relaxed) & ~bit;
  blocks_[index].store(state, std::memory_order_relaxed);
  word.store(state == kWritten ? others | bit : others, std::memory_order_relaxed);
}

// The bytes of each block that is touched: its number, first byte in it, how many, and how many came before.
template <typename action>
void byte_states::for_each_part(uint64_t begin, uint64_t bytes, action act) const {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t at = begin + done;
    const uint64_t count = std::min(bytes - done, kBlock - at % kBlock);
    act(at / kBlock, at % kBlock, count, done);
    done += count;
  }
}

bool byte_states::surely_written(uint64_t begin, uint64_t bytes) const {
  if (bytes == 0) {
    return true;
  }
  const uint64_t first = begin / kBlock, last = (begin + bytes - 1) / kBlock;
  for (uint64_t word = first / 64; word <= last / 64; ++word) {
    const uint64_t from = word == first / 64 ? ~uint64_t{0} << first % 64 : ~uint64_t{0};
    const uint64_t to = word == last / 64 ? ~uint64_t{0} >> (63 - last % 64) : ~uint64_t{0};
    if ((~written_[word].load(std::memory_order_relaxed) & from & to) != 0) {
      return false;
    }
  }
  return true;
}

bool byte_states::all_written(uint64_t begin, uint64_t bytes) const {
  return surely_written(begin, bytes) || written_in_detail(begin, bytes);
}

bool byte_states::written_in_detail(uint64_t begin, uint64_t bytes) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  bool written = true;
  for_each_part(begin, bytes, [&](uint64_t index, uint64_t first, uint64_t count, uint64_t) {
    const byte_state whole = of_block(index);
    if (whole != kMixed) {
      written = written && whole == kWritten;
      return;
    }
    const byte_state *states = (*pages_[index / kBlocksOfPage])[index % kBlocksOfPage].data() + first;
    written = written && std::all_of(states, states + count, [](byte_state s) { return s == kWritten; });
  });
  return written;
}

void byte_states::get(uint64_t begin, uint64_t bytes, byte_state *states) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for_each_part(begin, bytes, [&](uint64_t index, uint64_t first, uint64_t count, uint64_t done) {
    const byte_state whole = of_block(index);
    if (whole != kMixed) {
      std::fill_n(states + done, count, whole);
    } else {
      std::copy_n((*pages_[index / kBlocksOfPage])[index % kBlocksOfPage].data() + first, count, states + done);
    }
  });
}

uint64_t byte_states::first_unwritten(uint64_t begin, uint64_t bytes) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t end = begin + bytes;
  for (uint64_t at = begin, next; at < end; at = next) {
    const uint64_t index = at / kBlock, first = index * kBlock;
    next = std::min(end, first + kBlock);
    const byte_state whole = of_block(index);
    if (whole == kUnwritten) {
      return at;
    }
    if (whole == kMixed) {
      const byte_state *states = (*pages_[index / kBlocksOfPage])[index % kBlocksOfPage].data();
      const byte_state *found = std::find(states + (at - first), states + (next - first), kUnwritten);
      if (found != states + (next - first)) {
        return first + static_cast<uint64_t>(found - states);
      }
    }
  }
  return end;
}

// A block's bytes, one by one from now on.
byte_states::block &byte_states::detail(uint64_t index) {
  if (pages_.empty()) {
    pages_.resize(blocks_.size() / kBlocksOfPage + 1);
  }
  std::unique_ptr<page> &of = pages_[index / kBlocksOfPage];
  if (!of) {
    of = std::make_unique<page>();
  }
  block &bytes = (*of)[index % kBlocksOfPage];
  if (of_block(index) != kMixed) {
    bytes.fill(of_block(index));
    set_block(index, kMixed);
  }
  return bytes;
}

// Bytes that are alike again are one.
void byte_states::settle(uint64_t index) {
  const block &bytes = (*pages_[index / kBlocksOfPage])[index % kBlocksOfPage];
  if (std::all_of(bytes.begin(), bytes.end(), [&](byte_state s) { return s == bytes.front(); })) {
    set_block(index, bytes.front());
  }
}

void byte_states::put(uint64_t begin, uint64_t bytes, const byte_state *states) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for_each_part(begin, bytes, [&](uint64_t index, uint64_t first, uint64_t count, uint64_t done) {
    std::copy_n(states + done, count, detail(index).data() + first);
    settle(index);
  });
}

void byte_states::fill(uint64_t begin, uint64_t bytes, byte_state state) {
  bool done = true;
  for (uint64_t i = begin / kBlock; i * kBlock < begin + bytes && done; ++i) {
    done = of_block(i) == state;
  }
  if (done) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for_each_part(begin, bytes, [&](uint64_t index, uint64_t first, uint64_t count, uint64_t) {
    if (count == kBlock) {
      set_block(index, state);
    } else if (of_block(index) != state) {
      std::fill_n(detail(index).data() + first, count, state);
      settle(index);
    }
  });
}

}  // namespace soc
