// The power of a run over time, from its record: what each command takes is spread over its time, and HBM and L2 go by
// the dies' bandwidth. What has no place in time, as instructions of scalar cores, is spread over all of it, so that
// the mean of a kind is that of soc/joules.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_POWER_H
#define AMALGAM_SOC_POWER_H

#include <array>
#include <cstdint>
#include <vector>

#include "soc/joules.h"
#include "soc/soc.h"
#include "soc/watch/recorder.h"

namespace soc {

struct power_course {
  double step = 1;                                      // cycles
  std::vector<std::array<double, JOULES_KINDS>> watts;  // by step, from cycle 0
};

// engine: of the attention engines, whose commands are priced by their design.
power_course power_over_time(recorder &recorded, const config_t &config, const num_engine_t &engine,
                             const soc_result_t &result);

}  // namespace soc

#endif
