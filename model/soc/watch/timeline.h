// Each pipe's work over time, written from the record: as Chrome trace JSON, which opens in Perfetto, and as
// text, a line a command.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_TIMELINE_H
#define AMALGAM_SOC_WATCH_TIMELINE_H

#include <string>

#include "soc/power.h"
#include "soc/soc.h"
#include "soc/watch/recorder.h"
#include "soc/watch/window.h"

namespace soc {

class source_lines;

// The cycles of a window, whose commands may not have come: then false, and which.
bool find_window(const soc_record_t &record, const waves_window_t &both, const config_t &config, cycle_window &window,
                 std::string &missing);

// False if the file cannot be written.
bool write_timeline(const std::string &path, recorder &recorded, const config_t &config, const power_course &power,
                    source_lines &lines, const cycle_window &window);
bool write_log(const std::string &path, const soc_record_t &record, source_lines &lines, const cycle_window &window);

}  // namespace soc

#endif
