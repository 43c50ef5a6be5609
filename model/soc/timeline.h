// What each pipe did when, as Chrome trace JSON (opens in Perfetto).
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_TIMELINE_H
#define SOC_TIMELINE_H

#include <cstdint>
#include <string>
#include <vector>

#include "hal/command.h"

namespace soc {

class source_lines;

class timeline {
 public:
  void enable() { enabled_ = true; }
  // Number of the firmware that runs from now on (source_line.h).
  void set_firmware(unsigned firmware) { firmware_ = firmware; }
  unsigned add_track(const std::string &core, unsigned pipe);
  // Command number of its pipe kept it from begin to end (cycles) and took effect at done.
  void add(unsigned track, uint64_t number, const command_t &command, uint64_t begin, uint64_t end,
           uint64_t done) {
    if (enabled_) {
      events_.push_back({track, firmware_, number, begin, end, done, command});
    }
  }
  // False if the file cannot be written.
  bool write(const std::string &path, double clock_mhz, source_lines &lines) const;

 private:
  struct track {
    std::string core;
    unsigned pipe;
  };
  struct event {
    unsigned track, firmware;
    uint64_t number, begin, end, done;
    command_t command;
  };
  bool enabled_ = false;
  unsigned firmware_ = 0;
  std::vector<track> tracks_;
  std::vector<event> events_;
};

}  // namespace soc

#endif
