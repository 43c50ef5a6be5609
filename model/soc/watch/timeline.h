// What each pipe did when: collected while a machine runs, written as Chrome trace JSON (opens in
// Perfetto) and as text, and left for others to walk (record.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_TIMELINE_H
#define SOC_TIMELINE_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "hal/command.h"
#include "soc/soc.h"
#include "soc/watch/record.h"

namespace soc {

class source_lines;

// Cycles that are written.
struct cycle_window {
  uint64_t from = 0, to = UINT64_MAX;
  // A command is at work in the cycles before its end, or at its begin if it has no length.
  bool touches(uint64_t begin, uint64_t end) const {
    return begin <= to && (end > begin ? end - 1 : begin) >= from;
  }
};

class timeline {
 public:
  void enable() { enabled_ = true; }
  bool enabled() const { return enabled_; }
  // Number of the firmware that runs from now on (source_line.h).
  void set_firmware(unsigned firmware) { firmware_ = firmware; }
  unsigned add_track(const std::string &core, unsigned pipe);

  // A command of a track; its firmware is filled in.
  void add(const soc_command_t &command) {
    if (enabled_) {
      commands_.push_back(command);
      commands_.back().firmware = firmware_;
    }
  }
  // From a cycle on, in order: bytes a cycle that all moves of a die get.
  void bandwidth(unsigned die, uint64_t cycle, double hbm, double l2);

  // All of it, in order.
  const soc_record_t &record();
  // False if the file cannot be written.  window has been looked at by find_window.
  bool write_json(const std::string &path, const config_t &config, source_lines &lines,
                  const cycle_window &window);
  bool write_log(const std::string &path, source_lines &lines, const cycle_window &window);
  // The cycles of a window, whose commands may not have come: then false, and which.
  bool find_window(const soc_options_t &options, cycle_window &window, std::string &missing);

 private:
  struct rates {
    unsigned die;
    uint64_t cycle;
    double hbm, l2;
  };
  bool find_mark(const waves_mark_t &mark, const config_t &config, const soc_command_t *&found);
  void write_names(FILE *file) const;
  void write_command(FILE *file, const soc_command_t &c, source_lines &lines) const;
  void write_flow(FILE *file, const soc_command_t &c, size_t id, const cycle_window &window) const;
  void write_bandwidth(FILE *file, const config_t &config, const cycle_window &window) const;
  void write_occupancy(FILE *file, const cycle_window &window) const;
  unsigned process(uint32_t track) const { return processes_[track]; }

  bool enabled_ = false;
  unsigned firmware_ = 0;
  double mhz_ = 1;
  std::vector<soc_track_t> tracks_;
  std::vector<unsigned> processes_;    // by track: its core, from 1
  std::vector<soc_command_t> commands_;
  std::vector<size_t> first_;
  std::vector<rates> rates_;
  soc_record_t record_{};
};

}  // namespace soc

#endif
