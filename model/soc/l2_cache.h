// Which bytes of global memory are in a die's L2.
//
// Lines of 512 bytes, each with eight 64-byte sectors that are present or not, and dirty or not.
// Replacement is least recently used, by groups of 32 neighbouring lines (16 KiB), which is how
// coarse the data of the kernels is.  A load brings in the sectors it lacks; a store leaves its
// sectors present and dirty without reading them.  When the sectors present exceed the capacity,
// the least recently used groups go; their dirty sectors are HBM writes.
//
// Addresses are offsets from GM_BASE.  Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_L2_CACHE_H
#define SOC_L2_CACHE_H

#include <cstdint>
#include <vector>

namespace soc {

class l2_cache {
 public:
  // capacity: bytes.  memory: bytes of global memory there are.  State for lines never touched
  // costs no resident host memory (zero pages).
  l2_cache(uint64_t capacity, uint64_t memory);
  ~l2_cache();
  l2_cache(const l2_cache &) = delete;
  l2_cache &operator=(const l2_cache &) = delete;

  // rows runs of row_bytes bytes, pitch apart.  read returns the bytes, at most those asked for,
  // that were not there (a sector that was not counts with the bytes asked of it, for the caller's
  // timing); *fetched grows by the whole sectors brought from HBM.
  uint64_t read(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch, uint64_t *fetched);
  void write(uint64_t base, uint64_t rows, uint64_t row_bytes, uint64_t pitch);

  // As if read long ago: present, clean, not counted.  The range read last is the most recent.
  void warm(uint64_t base, uint64_t bytes);

  uint64_t resident() const { return resident_; }      // bytes of sectors present
  uint64_t written_back() const { return written_back_; }   // bytes of dirty sectors that went

 private:
  uint64_t resident_ = 0;
  uint64_t written_back_ = 0;
  // (to be filled in)
};

}  // namespace soc

#endif
