// SPDX-License-Identifier: Apache-2.0
#include "soc/races/gm_owners.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace soc {

gm_owners::gm_owners(uint64_t memory)
    : mapped_((memory / kBlock + 1) * (sizeof(block) + kBlock / kLine * sizeof(line))) {
  void *map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    throw std::runtime_error("race detector: no address space for the state of " + std::to_string(memory >> 20) +
                             " MiB of global memory");
  }
  blocks_ = static_cast<block *>(map);
  lines_ = reinterpret_cast<line *>(blocks_ + memory / kBlock + 1);
}

gm_owners::~gm_owners() { munmap(blocks_, mapped_); }

void gm_owners::forget() {
  madvise(blocks_, mapped_, MADV_DONTNEED);  // zero again
  parts_.clear();
}

// Are all lines of these bytes just so?
bool gm_owners::are_all(const line &its, uint64_t begin, uint64_t end) const {
  static_assert(sizeof(line) == sizeof(uint64_t));
  const auto bits = [](const line &l) {
    uint64_t all;
    std::memcpy(&all, &l, sizeof all);
    return all;
  };
  const uint64_t wanted = bits(its);
  uint64_t other = 0;
  for (uint64_t i = begin / kLine; i <= (end - 1) / kLine; ++i) {
    other |= bits(lines_[i]) ^ wanted;
  }
  return other == 0;
}

// Rows from this one on, of a place from base on, that lie in one block of which all is just so.
uint64_t gm_owners::rows_alike(const line &its, uint64_t row, const core_access_t &access, uint64_t base) const {
  const uint64_t begin = base + row * access.pitch;
  const block &b = blocks_[begin / kBlock];
  const uint64_t stop = (begin / kBlock + 1) * kBlock;
  if (b.syncs != its.syncs || b.writer != its.writer || begin + access.row_bytes > stop) {
    return 0;
  }
  return access.pitch == 0 ? access.rows : (stop - begin - access.row_bytes) / access.pitch + 1;
}

// Blocks whose lines are all like that may be known for it, the first time, the second, the fourth and so on.
void gm_owners::find_blocks(const line &its, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin / kBlock; i <= (end - 1) / kBlock; ++i) {
    block &b = blocks_[i];
    if (b.writer != 0) {
      continue;
    }
    b.looks = static_cast<uint16_t>(b.looks + (b.looks < UINT16_MAX));
    if ((b.looks & (b.looks - 1)) == 0 && are_all(its, i * kBlock, (i + 1) * kBlock)) {
      b.syncs = its.syncs;
      b.writer = its.writer;
    }
  }
}

std::optional<unsigned> gm_owners::access(unsigned core, uint32_t syncs, const core_access_t &access, uint64_t base) {
  const line its = {syncs, static_cast<uint16_t>(core + 1), 0};
  const uint64_t last = base + (access.rows - 1) * access.pitch;
  bool looked = false, changed = false;  // at lines
  for (uint64_t row = 0; row < access.rows; ++row) {
    if (const uint64_t alike = rows_alike(its, row, access, base)) {  // as most are, and its access changes nothing
      row += alike - 1;
      continue;
    }
    uint64_t begin = base + row * access.pitch;
    const uint64_t end = begin + access.row_bytes;
    __builtin_prefetch(&lines_[std::min(begin + access.pitch, last) / kLine]);
    looked = true;
    if (are_all(its, begin, end)) {
      continue;
    }
    changed = true;
    while (begin < end) {
      const uint64_t stop = std::min(end, (begin / kLine + 1) * kLine);
      if (auto other = access_line(core, syncs, access.write, begin, stop)) {
        return other;
      }
      begin = stop;
    }
  }
  if (looked && !changed) {  // more of them may be blocks
    find_blocks(its, base, last + access.row_bytes);
  }
  return std::nullopt;
}

// Bytes of one line.
std::optional<unsigned> gm_owners::access_line(unsigned core, uint32_t syncs, bool write, uint64_t begin,
                                               uint64_t end) {
  line &l = lines_[begin / kLine];
  const bool whole = end - begin == kLine;
  const uint16_t me = static_cast<uint16_t>(core + 1);
  if (write) {
    blocks_[begin / kBlock].writer = 0;
  }
  if (write && !whole && l.in_part == 0) {
    l.in_part = 1;
    if (l.writer != 0) {
      const uint64_t first = begin / kLine * kLine;
      parts_[begin / kLine].push_back({first, first + kLine, l.syncs, l.writer});
    }
  }
  if (l.in_part != 0) {
    return access_parts(core, syncs, write, begin, end);
  }
  if (l.writer != 0 && l.writer != me && l.syncs >= syncs) {
    return l.writer - 1u;
  }
  if (write) {
    l.writer = me;
    l.syncs = syncs;
  }
  return std::nullopt;
}

std::optional<unsigned> gm_owners::access_parts(unsigned core, uint32_t syncs, bool write, uint64_t begin,
                                                uint64_t end) {
  std::vector<part> &parts = parts_[begin / kLine];
  const uint16_t me = static_cast<uint16_t>(core + 1);
  bool known = false;
  for (part &p : parts) {
    if (p.end <= begin || p.begin >= end) {
      continue;
    }
    if (p.writer != me && p.syncs >= syncs) {
      return p.writer - 1u;
    }
    if (write && p.writer == me && p.begin == begin && p.end == end) {
      p.syncs = syncs;
    }
    known = known || (p.writer == me && p.syncs == syncs && p.begin <= begin && end <= p.end);
  }
  if (write && !known) {
    parts.push_back({begin, end, syncs, me});
  }
  return std::nullopt;
}

}  // namespace soc
