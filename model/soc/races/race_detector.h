// Race detector: finds two accesses to the same bytes, at least one a write, that no chain of
// flags orders, whether or not they met in this run.
//
// Within an AI core, or a pair of them, every pipe is an agent with a vector clock.  A command's accesses carry the
// pipe's own time; a flag hands the setter's clock to the waiter.  An access is ordered after
// another when the waiter's clock has seen it.
//
// Pipes of the two AI cores of a pair are agents of one detector if the run is one of pairs.  They are one domain.
// Between domains SYNC_ALL orders, of which meetings.h keeps what it hands on, and in a system of dies SIGNAL and AWAIT
// do; gm_users.h finds their races.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_RACE_DETECTOR_H
#define AMALGAM_SOC_RACES_RACE_DETECTOR_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/core.h"

namespace soc {

constexpr unsigned kAgents =
    2 * (5 + 4 * 4);  // pipes of two AI cores: 5 of the cube core, 4 of each of at most 4 vector cores

constexpr unsigned kSeries = 12;  // of SYNC_ALLs: pipes of all kinds of core

// What has been seen of the agents of a domain.
struct domain_seen {
  unsigned domain;
  std::array<uint32_t, kAgents> seen;
  bool operator==(const domain_seen &other) const { return domain == other.domain && seen == other.seen; }
};

// What has been seen of the agents of a machine: of some domains, by their numbers. Null: nothing.
using all_seen = std::shared_ptr<const std::vector<domain_seen>>;

// What either has seen; one of the two, if that has seen it all.
all_seen join_seen(const all_seen &a, const all_seen &b);
// Of a domain; null: nothing.
const domain_seen *seen_of(const all_seen &all, unsigned domain);

struct vector_clock {
  std::array<uint32_t, kAgents> seen{};  // by agent of its domain
  std::array<uint32_t, kSeries> met{};   // SYNC_ALLs behind it, by series (meetings.h)
  all_seen told;                         // by SIGNALs of other dies

  // Sees what the other has seen, too.
  void join(const vector_clock &other) {
    if (other.told != nullptr && other.told != told) {
      told = join_seen(told, other.told);
    }
    for (size_t i = 0; i < kAgents; ++i) {
      seen[i] = std::max(seen[i], other.seen[i]);
    }
    for (size_t i = 0; i < kSeries; ++i) {
      met[i] = std::max(met[i], other.met[i]);
    }
  }
};

// Have two accesses to the same space bytes in common?
bool accesses_overlap(const core_access_t &a, const core_access_t &b);

// A memory: one of a core's buffers, or an AI core's part in global memory.  Its agents are those
// that can reach it.
struct race_memory {
  struct record {              // of an access, so small that many are looked at fast
    uint64_t begin, end;       // of all its bytes
    uint64_t pitch_and_write;  // lowest bit: a write
    uint32_t rows, time;
    bool write() const { return (pitch_and_write & 1) != 0; }
    uint64_t pitch() const { return pitch_and_write >> 1; }
  };
  struct past_command {
    uint32_t time;
    command_t command;  // for messages
  };
  struct history {                       // what all others have seen is dropped
    std::vector<record> records;         // in order of times, but for those between two flags of the agent
    std::vector<past_command> commands;  // whose accesses these are
  };
  struct user {
    unsigned agent;
    uint32_t latest = 0;                  // time of its last record, ...
    uint64_t low = UINT64_MAX, high = 0;  // ... and around all of them, which mostly is all that others need to know
  };
  std::vector<user> users;         // its agents, ...
  std::vector<history> histories;  // ... and what each has done

  void add_agent(unsigned agent) {
    users.push_back({agent});
    histories.emplace_back();
  }

  // All later accesses are ordered after all earlier ones.
  void forget();
};

// A race's earlier access.
struct race_found {
  unsigned agent;
  uint32_t time;  // of the agent
  command_t command;
};

// The pipes of one AI core, or of a pair.
class race_detector {
 public:
  // core: for messages.
  unsigned add_agent(const std::string &core);
  const std::string &core_of(unsigned agent) const { return cores_[agent]; }
  // A new command of this agent begins.
  void begin(unsigned agent) { ++clocks_[agent].seen[agent]; }
  // One that hands on what this agent has seen, and has no accesses; and the time of the last one.
  void begin_to_hand_on(unsigned agent) { handed_on_[agent] = ++clocks_[agent].seen[agent]; }
  uint32_t handed_on(unsigned agent) const { return handed_on_[agent]; }
  // Notes an access; returns the earlier access it races with, if there is one.
  std::optional<race_found> access(race_memory &memory, unsigned agent, const core_access_t &access,
                                   const command_t &command);
  // Notes an access that races, for a run that goes on.
  void add(race_memory &memory, unsigned agent, const core_access_t &access, const command_t &command) const;
  const vector_clock &clock(unsigned agent) const { return clocks_[agent]; }
  void acquire(unsigned agent, const vector_clock &clock) {
    settled_[agent] = std::max(settled_[agent], clock.seen[agent]);
    clocks_[agent].join(clock);
  }
  // The agent has waited until its own commands so far are done; up to which time it has, so or by what it acquired.
  void settle(unsigned agent) { settled_[agent] = clocks_[agent].seen[agent]; }
  uint32_t settled(unsigned agent) const { return settled_[agent]; }

 private:
  race_memory::record *noted(race_memory::history &history, unsigned agent, uint64_t end,
                             const core_access_t &access) const;
  void note(race_memory &memory, size_t number, const core_access_t &access, uint64_t end,
            const command_t &command) const;
  void forget(race_memory &memory, size_t mine) const;

  std::array<vector_clock, kAgents> clocks_;
  std::array<uint32_t, kAgents> handed_on_{};  // time of the last command that did so
  std::array<uint32_t, kAgents> settled_{};
  std::vector<std::string> cores_;
};

}  // namespace soc

#endif
