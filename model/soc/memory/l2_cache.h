// The bytes of global memory that are in a die's L2.
//
// Lines of 512 bytes, each with eight 64-byte sectors that are present or not, and dirty or not.
// Replacement is least recently used, by groups of 32 neighbouring lines (16 KiB), which is how
// coarse the data of the kernels is.  A load brings in the sectors it lacks; a store leaves its
// sectors present and dirty without reading them.  When the sectors present exceed the capacity,
// the least recently used groups go, whole; their dirty sectors are HBM writes.  The group in use
// stays even if it alone exceeds the capacity.
//
// Addresses are offsets from GM_BASE.  Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_L2_CACHE_H
#define AMALGAM_SOC_MEMORY_L2_CACHE_H

#include <cstdint>
#include <functional>

namespace soc {

class l2_cache {
 public:
  // capacity: bytes.  memory: bytes of global memory there are.  State for lines never touched
  // costs no resident host memory (zero pages).  Throws std::runtime_error if there is no address
  // space for it.
  l2_cache(uint64_t capacity, uint64_t memory);
  ~l2_cache();
  l2_cache(const l2_cache &) = delete;
  l2_cache &operator=(const l2_cache &) = delete;

  // rows runs of row_bytes bytes, pitch apart, all within the memory.  read returns the bytes, at
  // most those asked for, that were not there (a sector that was not counts with the bytes asked of
  // it, for the caller's timing); *fetched grows by the whole sectors brought from HBM.
  uint64_t read(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch, uint64_t *fetched);
  void write(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch);

  // A run before left these bytes here: the first read of them, by 16 KiB groups, finds them,
  // however much else was brought in meanwhile.
  void warm(uint64_t base, uint64_t bytes);

  uint64_t resident() const { return resident_; }          // bytes of sectors present
  uint64_t written_back() const { return written_back_; }  // bytes of dirty sectors that went
  // Called, if there is one, when dirty bytes of a group of lines are written back: with the address of
  // the first of them, and how many they are.
  std::function<void(uint64_t base, uint64_t bytes)> on_write_back;

 private:
  static constexpr unsigned kWords = 4;  // of 64 sectors each, to a group

  struct group {  // one bit a sector
    uint64_t present[kWords];
    uint64_t dirty[kWords];
  };
  struct link {  // the list of groups that have sectors present
    uint32_t newer, older;
    uint32_t warm;  // 1: sectors not present are not missed
  };
  struct missed {
    uint64_t asked, sectors;  // bytes, sectors
  };

  template <bool kWrite>
  missed touch(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch);
  template <bool kWrite>
  void touch_row(uint64_t begin, uint64_t last, missed &missed);
  template <bool kWrite>
  uint64_t touch_word(uint64_t word, uint64_t asked);
  void use(uint32_t id);
  void unlink(uint32_t id);
  void shrink();

  uint64_t capacity_;
  uint64_t mapped_;  // bytes of groups_, then of links_
  group *groups_;    // group of address a: number a / 16 KiB + 1
  link *links_;      // a ring; number 0 is its end: newest older, oldest newer
  uint64_t resident_ = 0;
  uint64_t written_back_ = 0;
};

}  // namespace soc

#endif
