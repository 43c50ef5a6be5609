// The AI core that wrote each byte of global memory: finds accesses of two AI cores to the same
// bytes, at least one a write, that no SYNC_ALL is between.  An attention engine counts as an AI core
// here, with a number behind theirs (core_group::index).
//
// SYNC_ALLs are counted, over all kinds of cores and pipes: a write is taken for ordered if the reader
// has more of them behind it than the writer had.  It is not asked whether its own AI core's flags bring
// the write before the SYNC_ALL, so a flag forgotten there shows in data only; the machine of
// tests/firmware, which keeps whole vector clocks, finds it.
//
// Kept by lines of 512 bytes; of lines that were written in part, the parts are kept, too. If 64 lines are all
// alike, as those of workspaces are, it is enough to look at their block.  A write
// after another AI core's read is not looked for: arrays that several AI cores read are inputs,
// which nobody may write, or results that were written before a SYNC_ALL.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_GM_OWNERS_H
#define AMALGAM_SOC_RACES_GM_OWNERS_H

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/core.h"

namespace soc {

class gm_owners {
 public:
  // Untouched memory costs no resident host memory (zero pages). Throws std::runtime_error if there is no address
  // space for it.
  explicit gm_owners(uint64_t memory);
  ~gm_owners();
  gm_owners(const gm_owners &) = delete;
  gm_owners &operator=(const gm_owners &) = delete;

  // All later accesses are ordered after all earlier ones.
  void forget();
  // An access of an AI core that has so many SYNC_ALLs behind it.  Returns the AI core whose write
  // it races with.  base counts from GM_BASE.
  std::optional<unsigned> access(unsigned core, uint32_t syncs, const core_access_t &access, uint64_t base);

 private:
  static constexpr uint64_t kLine = 512, kBlock = 64 * kLine;
  struct line {        // at first 0
    uint32_t syncs;    // behind the writer
    uint16_t writer;   // AI core + 1; 0: nobody
    uint16_t in_part;  // 1: not all of it was written, see parts_
  };
  struct block {      // at first 0
    uint32_t syncs;   // of all its lines, ...
    uint16_t writer;  // ... none of which was written in part; 0: they are not alike, or it is not known
    uint16_t looks;   // at all of its lines that could have been saved
  };
  struct part {
    uint64_t begin, end;
    uint32_t syncs;
    uint16_t writer;
  };
  bool are_all(const line &its, uint64_t begin, uint64_t end) const;
  uint64_t rows_alike(const line &its, uint64_t row, const core_access_t &access, uint64_t base) const;
  void find_blocks(const line &its, uint64_t begin, uint64_t end);
  std::optional<unsigned> access_line(unsigned core, uint32_t syncs, bool write, uint64_t begin, uint64_t end);
  std::optional<unsigned> access_parts(unsigned core, uint32_t syncs, bool write, uint64_t begin, uint64_t end);

  uint64_t mapped_;  // bytes of blocks_ and of lines_ behind them
  block *blocks_;
  line *lines_;
  std::unordered_map<uint64_t, std::vector<part>> parts_;
};

}  // namespace soc

#endif
