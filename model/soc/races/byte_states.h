// The bytes of a memory that hold a value that somebody wrote. Kept by blocks as long as all bytes of a block are
// alike. A bit for each block says that all of it is written, so that a tile of 32 KiB needs one or two words.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_BYTE_STATES_H
#define AMALGAM_SOC_RACES_BYTE_STATES_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace soc {

// State of a byte: nobody wrote it, a value, or a value that was computed from unwritten bytes: the number of the
// command that read them, from kFirstOrigin on.
using byte_state = uint8_t;
constexpr byte_state kUnwritten = 0, kWritten = 1, kFirstOrigin = 2, kLastOrigin = 254;

// Several threads may use one of these, each for bytes of its own.
class byte_states {
 public:
  byte_states(uint64_t bytes, byte_state initially);

  // Are all blocks that it touches written? Without a look at bytes: fast, and false for some that are written.
  bool surely_written(uint64_t begin, uint64_t bytes) const;
  bool all_written(uint64_t begin, uint64_t bytes) const;
  void get(uint64_t begin, uint64_t bytes, byte_state *states) const;
  // The first byte that nobody wrote; begin + bytes if there is none.
  uint64_t first_unwritten(uint64_t begin, uint64_t bytes) const;
  void put(uint64_t begin, uint64_t bytes, const byte_state *states);
  void fill(uint64_t begin, uint64_t bytes, byte_state state);

 private:
  static constexpr uint64_t kBlock = 512, kBlocksOfPage = 128;
  static constexpr byte_state kMixed = 255;  // of a block
  using block = std::array<byte_state, kBlock>;
  using page = std::array<block, kBlocksOfPage>;

  byte_state of_block(uint64_t index) const { return blocks_[index].load(std::memory_order_relaxed); }
  void set_block(uint64_t index, byte_state state);
  block &detail(uint64_t index);
  void settle(uint64_t index);
  bool written_in_detail(uint64_t begin, uint64_t bytes) const;
  template <typename action>
  void for_each_part(uint64_t begin, uint64_t bytes, action act) const;

  std::vector<std::atomic<byte_state>> blocks_;
  std::vector<std::atomic<uint64_t>> written_;  // a bit for each of them
  mutable std::mutex mutex_;                    // of what follows, and of changes of those above
  std::vector<std::unique_ptr<page>> pages_;    // of blocks that are mixed
};

}  // namespace soc

#endif
