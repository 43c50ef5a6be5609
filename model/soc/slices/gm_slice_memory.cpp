// What gm_slice_memory.sv calls: a slice's memory port, on the host's memory.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>

#include "Vgm_slice_memory__Dpi.h"
#include "core/gm_atomic.h"

static_assert(GM_LANES == 16, "widths of gm_slice_memory.sv");

namespace {

uint8_t *beat_at(uint64_t memory, uint32_t beat) {
  // cppcheck-suppress CastIntegerToAddressAtReturn ; the number came from a pointer
  return reinterpret_cast<uint8_t *>(memory) + uint64_t{beat} * GM_LANES * 4;
}

}  // namespace

void gm_read(unsigned long long memory, unsigned beat, svBitVecVal *data) {
  std::memcpy(data, beat_at(memory, beat), GM_LANES * 4);
}

void gm_write(unsigned long long memory, unsigned beat, const svBitVecVal *mask,
              const svBitVecVal *data) {
  uint8_t *target = beat_at(memory, beat);
  for (unsigned lane = 0; lane < GM_LANES; ++lane) {
    if ((*mask >> lane) & 1u) {
      std::memcpy(target + lane * 4, &data[lane], 4);
    }
  }
}
