// Behind replay.h: what it takes from a machine that runs, and the replay itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_REPLAYER_H
#define AMALGAM_SOC_REPLAYER_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "soc/cores/simulation.h"
#include "soc/replay.h"
#include "soc/watch/tensor_book.h"
#include "soc/watch/watcher.h"
#include "soc/watch/window.h"

namespace soc {

// Notes the machine's memories.
class replayer : public watcher {
 public:
  struct unit {
    std::string name;
    core_kind_t kind;
    const core_memory_t *memory;
  };
  void add_core(const watched_core &core) override;
  const std::vector<unit> &units() const { return units_; }
  const std::vector<size_t> &unit_of_track() const { return unit_of_track_; }

 private:
  std::vector<unit> units_;
  std::vector<size_t> unit_of_track_;
};

}  // namespace soc

struct soc_replay {
  // end: the last cycle that belongs to it.
  soc_replay(const soc::replayer &machine, const soc_record_t &record, uint64_t end, const soc::cycle_window &window,
             const soc_buffer_t *buffers, size_t count, soc::source_lines &lines);

  size_t size() const { return effects_.size(); }
  soc_effect_t effect(size_t index) const;
  const char *line(size_t index) const;
  const soc::replayer::unit *find(const char *core) const;
  const soc::replayer::unit &any() const { return units_.front(); }
  const std::vector<soc_buffer_t> &arrays() const { return arrays_; }
  void run(size_t end, const soc_replay_look_t &look);
  bool in_window(size_t index) const { return window_.touches(effects_[index]->begin, effects_[index]->end); }
  core_tensor_t typed(size_t index, const core_tensor_t &tensor) const {
    return types_->typed(*effect(index).memory, tensor);
  }
  bool legal(size_t index, const command_t &command);
  uint64_t cleared() const;

 private:
  void clear() const;
  void reach(size_t unit, const command_t &command);
  bool within(const core_access_t &access) const;

  std::vector<soc::replayer::unit> units_;
  std::vector<size_t> unit_of_track_;
  std::vector<const soc_command_t *> effects_;
  std::vector<std::array<uint64_t, SPACE_COUNT>> reached_;  // by unit: so many bytes of its buffers are looked at
  std::vector<soc_buffer_t> arrays_;
  std::vector<std::vector<uint8_t>> first_;  // by array: what it begins with, if it is written; empty: 0xFF
  soc::source_lines &lines_;
  soc::cycle_window window_;
  std::unique_ptr<soc::tensor_book> types_;  // of the run that goes on, if it wants them
};

#endif
