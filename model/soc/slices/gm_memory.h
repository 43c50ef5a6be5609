// A slice's memory port, on the host's memory: beats of GM_LANES words.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_GM_MEMORY_H
#define AMALGAM_SOC_SLICES_GM_MEMORY_H

#include <cstdint>
#include <cstring>

#include "core/gm_atomic.h"

namespace soc {

inline void read_beat(const uint8_t *memory, uint32_t beat, uint32_t *data) {
  std::memcpy(data, memory + uint64_t{beat} * GM_LANES * 4, GM_LANES * 4);
}

// mask: a bit a word, 1: it is written
inline void write_beat(uint8_t *memory, uint32_t beat, uint32_t mask, const uint32_t *data) {
  uint8_t *target = memory + uint64_t{beat} * GM_LANES * 4;
  for (unsigned lane = 0; lane < GM_LANES; ++lane) {
    if ((mask >> lane) & 1u) {
      std::memcpy(target + lane * 4, &data[lane], 4);
    }
  }
}

}  // namespace soc

#endif
