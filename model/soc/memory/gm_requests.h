// The requests of the slices for an atomic command: each row is cut where the slice changes
// and into beats of 64 bytes.  RESCALE sends one request for each run of whole beats, the other
// operations one for each beat.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_GM_REQUESTS_H
#define AMALGAM_SOC_MEMORY_GM_REQUESTS_H

#include <algorithm>
#include <cstdint>

#include "core/core.h"
#include "core/gm_atomic.h"
#include "hal/registers.h"

namespace soc {

constexpr uint64_t kBeatBytes = GM_LANES * 4;

// The rows of an atomic command in global memory. (core_atomic_row has the operands that are combined with them.)
struct atomic_rows {
  // origin: of the memory, from GM_BASE.
  atomic_rows(const command_t &command, uint64_t origin);
  // Rows of zeros that COPY_OUT is asked to skip send nothing.
  bool sent(const core_memory_t &memory, uint64_t row) const {
    return copy_out == nullptr || core_row_sent(&memory, copy_out, static_cast<uint32_t>(row));
  }
  const cmd_copy_out_t *copy_out;  // null: FIXPIPE
  unsigned op;
  uint64_t gm, gm_pitch;  // offsets from the memory's first byte
  uint64_t rows, row_bytes;
};

// Calls visit(slice, offset, stop) for each part of a row that is one slice's: bytes offset .. stop - 1 of global
// memory. A RESCALE walks over beats, so that a part is a request; where it begins within a beat, that beat is one of
// its own.
template <typename visitor>
void for_each_part(unsigned op, uint64_t offset, uint64_t end, uint64_t slice_bytes, uint64_t slices, visitor visit) {
  while (offset < end) {
    const uint64_t unit = op == GM_RESCALE && offset % kBeatBytes != 0 ? kBeatBytes : slice_bytes;
    const uint64_t stop = std::min((offset / unit + 1) * unit, end);
    visit(static_cast<unsigned>(offset / slice_bytes % slices), offset, stop);
    offset = stop;
  }
}

// Likewise for each request: of other operations each beat is one.
template <typename visitor>
void for_each_request(unsigned op, uint64_t offset, uint64_t end, uint64_t slice_bytes, uint64_t slices,
                      visitor visit) {
  for_each_part(op, offset, end, slice_bytes, slices, [&](unsigned slice, uint64_t from, uint64_t to) {
    while (from < to) {
      const uint64_t stop = op == GM_RESCALE ? to : std::min((from / kBeatBytes + 1) * kBeatBytes, to);
      visit(slice, from, stop);
      from = stop;
    }
  });
}

// Visits the requests of a part at once: visit(slice, address of the first in beats, how many, beats of each).
template <typename visitor>
void for_each_run(unsigned op, uint64_t offset, uint64_t end, uint64_t slice_bytes, uint64_t slices, visitor visit) {
  for_each_part(op, offset, end, slice_bytes, slices, [&](unsigned slice, uint64_t from, uint64_t to) {
    const auto first = static_cast<uint32_t>(from / kBeatBytes);
    const auto beats = static_cast<uint32_t>((to - 1) / kBeatBytes) - first + 1;
    visit(slice, first, op == GM_RESCALE ? 1 : beats, op == GM_RESCALE ? beats : 1);
  });
}

}  // namespace soc

#endif
