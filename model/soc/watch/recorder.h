// Keeps what every command did (record.h), and the dies' bandwidth: what the timeline, the critical path
// and soc_result.record are made from. Some 180 bytes a command.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_WATCH_RECORDER_H
#define AMALGAM_SOC_WATCH_RECORDER_H

#include <cstdint>
#include <string>
#include <vector>

#include "soc/watch/watcher.h"

namespace soc {

class recorder : public watcher {
 public:
  // whole: of all launches; else only of the one that runs, or ran last.
  explicit recorder(bool whole) : whole_(whole) {}

  void add_core(const watched_core &core) override;
  void launched(unsigned firmware) override;
  void done(const soc_command_t &command) override;
  void bandwidth(unsigned die, const die_load &load, uint64_t cycle) override;

  void links(const std::vector<link_load> &loads, uint64_t cycle) override;

  bool whole() const { return whole_; }

  // --- while it runs: commands that are done ---
  // A track's commands are numbered from first to before end.
  uint64_t first(unsigned track) const { return kept_[track].first; }
  uint64_t end(unsigned track) const { return kept_[track].first + kept_[track].commands.size(); }
  const soc_command_t &at(unsigned track, uint64_t number) const {
    return kept_[track].commands[number - kept_[track].first];
  }

  // --- after the last launch ---
  // All of it, in order. The members above are gone then.
  const soc_record_t &record();

  // From a cycle on, in order: bytes a cycle that all moves of a die get.
  struct rates {
    unsigned die;
    uint64_t cycle;
    double hbm, l2;
  };
  const std::vector<rates> &bandwidths() const { return rates_; }
  // Likewise, what a die of a system sends to others and gets from them.
  struct link_rates {
    unsigned die;
    uint64_t cycle;
    link_load load;
  };
  const std::vector<link_rates> &link_loads() const { return link_rates_; }
  // A track's core, counted from 0.
  unsigned core(uint32_t track) const { return cores_[track]; }

 private:
  struct track {
    uint64_t first = 0;
    std::vector<soc_command_t> commands;  // by number; those that are not done yet have no track
  };
  bool whole_;
  unsigned firmware_ = 0;
  std::vector<track> kept_;
  std::vector<rates> rates_;
  std::vector<link_rates> link_rates_;
  std::vector<link_load> link_loads_;  // of each die, the last
  std::vector<unsigned> cores_;        // by track
  std::vector<soc_track_t> tracks_;
  std::vector<soc_command_t> commands_;  // all, in the record's order
  std::vector<size_t> first_;
  soc_record_t record_{};
};

}  // namespace soc

#endif
