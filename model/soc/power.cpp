// SPDX-License-Identifier: Apache-2.0
#include "soc/power.h"

#include <algorithm>
#include <map>

#include "core/core.h"
#include "core/work.h"

namespace soc {
namespace {

constexpr size_t kSteps = 1000;

class course {
 public:
  course(const config_t &config, uint64_t cycles)
      : config_(config),
        step_(std::max(1.0, static_cast<double>(cycles) / static_cast<double>(kSteps))),
        joules_(std::max<size_t>(1, static_cast<size_t>(static_cast<double>(cycles) / step_ + 0.5))) {}

  // Joules of a kind, evenly from a cycle to another.
  void spread(unsigned kind, double joules, double begin, double end) {
    const double length = std::max(end - begin, 1.0);
    for (size_t i = at(begin); i <= at(begin + length); ++i) {
      const double from = std::max(begin, static_cast<double>(i) * step_);
      const double to = std::min(begin + length, static_cast<double>(i + 1) * step_);
      joules_[i][kind] += joules * std::max(0.0, to - from) / length;
    }
  }

  void spread(const joules_t &energy, double begin, double end) {
    for (unsigned kind = 0; kind < JOULES_STANDING; ++kind) {
      if (energy.by_kind[kind] > 0) {
        spread(kind, energy.by_kind[kind], begin, end);
      }
    }
  }

  // So much of each kind in all.
  power_course complete(const joules_t &all) {
    power_course made{step_, joules_};
    for (unsigned kind = 0; kind < JOULES_KINDS; ++kind) {
      double placed = 0;
      for (const auto &step : joules_) {
        placed += step[kind];
      }
      const double rest = (all.by_kind[kind] - placed) / static_cast<double>(joules_.size());
      for (auto &step : made.watts) {
        step[kind] = std::max(0.0, step[kind] + rest) * config_.soc.clock_mhz * 1e6 / step_;
      }
    }
    return made;
  }

 private:
  size_t at(double cycle) const { return std::min(static_cast<size_t>(cycle / step_), joules_.size() - 1); }

  const config_t &config_;
  const double step_;
  std::vector<std::array<double, JOULES_KINDS>> joules_;
};

// Of a command by itself, without the time and the bytes that others share.
joules_t of_command(const config_t &config, const core_memory_t &memory, const command_t &command) {
  core_access_t accesses[CORE_MAX_ACCESSES];
  soc_result_t alone{};
  core_add_work(&alone.work, &memory, &command, accesses, core_accesses(&command, accesses));
  return joules_of(&config, &alone);
}

void place_move(course &power, const config_t &config, const recorder::rates &rate, uint64_t until) {
  if (until > rate.cycle) {
    const auto cycles = static_cast<double>(until - rate.cycle);
    soc_result_t moved{};
    moved.hbm_read = static_cast<uint64_t>(rate.hbm * cycles);
    moved.l2_read = static_cast<uint64_t>(rate.l2 * cycles);
    power.spread(joules_of(&config, &moved), static_cast<double>(rate.cycle), static_cast<double>(until));
  }
}

// A die's rate holds until its next one.
void place_bandwidth(course &power, const config_t &config, const std::vector<recorder::rates> &rates, uint64_t end) {
  std::map<unsigned, recorder::rates> now;
  for (const recorder::rates &rate : rates) {
    if (const auto before = now.find(rate.die); before != now.end()) {
      place_move(power, config, before->second, rate.cycle);
    }
    now[rate.die] = rate;
  }
  for (const auto &last : now) {
    place_move(power, config, last.second, end);
  }
}

}  // namespace

power_course power_over_time(recorder &recorded, const config_t &config, const num_engine_t &engine,
                             const soc_result_t &result) {
  const soc_record_t &record = recorded.record();
  core_memory_t memory{};
  memory.engine = &engine;
  uint64_t end = result.cycles;
  for (size_t i = 0; i < record.command_count; ++i) {
    end = std::max(end, record.commands[i].done);
  }
  course power(config, end);
  for (size_t i = 0; i < record.command_count; ++i) {
    const soc_command_t &c = record.commands[i];
    power.spread(of_command(config, memory, c.command), static_cast<double>(c.begin), static_cast<double>(c.done));
  }
  place_bandwidth(power, config, recorded.bandwidths(), end);
  return power.complete(joules_of(&config, &result));
}

}  // namespace soc
