// What gm_slice_memory.sv calls: a slice's memory port.
// SPDX-License-Identifier: Apache-2.0
#include "Vgm_slice_memory__Dpi.h"
#include "soc/slices/gm_memory.h"

static_assert(GM_LANES == 16, "widths of gm_slice_memory.sv");

namespace {

uint8_t *bytes_at(uint64_t memory) {
  // cppcheck-suppress CastIntegerToAddressAtReturn ; the number came from a pointer
  return reinterpret_cast<uint8_t *>(memory);
}

}  // namespace

void gm_read(unsigned long long memory, unsigned beat, svBitVecVal *data) {
  soc::read_beat(bytes_at(memory), beat, data);
}

void gm_write(unsigned long long memory, unsigned beat, const svBitVecVal *mask,
              const svBitVecVal *data) {
  soc::write_beat(bytes_at(memory), beat, *mask, data);
}
