// The clock of the atomic slices in cycles of the cores' clock, which is as fast or faster: a ratio of whole
// numbers, so that no edge is ever rounded away.  An edge between two cycles falls on the later one.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_SLICE_CLOCK_H
#define AMALGAM_SOC_SLICES_SLICE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "config/config.h"

namespace soc {

class slice_clock {
 public:
  slice_clock() = default;
  // Cycles of the cores to cycles of the slices, both at least 1.  Slices that would be faster are as fast.
  slice_clock(uint64_t cores, uint64_t slices) {
    slices = std::min(slices, cores);
    cores_ = cores / std::gcd(cores, slices);
    slices_ = slices / std::gcd(cores, slices);
  }
  // To the kHz.
  explicit slice_clock(const config_t &config)
      : slice_clock(static_cast<uint64_t>(config.soc.clock_mhz * 1e3 + 0.5),
                    static_cast<uint64_t>(config.gm.slice_clock_mhz * 1e3 + 0.5)) {}

  // The cores' cycle of a tick.
  uint64_t cycle(uint64_t tick) const { return cores_ == slices_ ? tick : scaled(tick, cores_, slices_, slices_ - 1); }
  // The first tick in a cycle of the cores or after it.
  uint64_t tick(uint64_t cycle) const {
    return cores_ == slices_ || cycle == 0 ? cycle : scaled(cycle - 1, slices_, cores_, 0) + 1;
  }

 private:
  // (n * times + more) / over, without an overflow on the way
  static uint64_t scaled(uint64_t n, uint64_t times, uint64_t over, uint64_t more) {
    return n / over * times + (n % over * times + more) / over;
  }

  uint64_t cores_ = 1, slices_ = 1;
};

}  // namespace soc

#endif
