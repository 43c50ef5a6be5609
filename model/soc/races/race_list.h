// The races of a run that goes on after each: a row for each two lines, with the flags that the program has between
// them, and what would order them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_RACE_LIST_H
#define AMALGAM_SOC_RACES_RACE_LIST_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/core.h"

namespace soc {

class race_list {
 public:
  struct side {
    std::string core;  // "vector0_1"; or nobody knows more than that: "AI core 1"
    std::optional<command_t> command;
    uint64_t order = 0;  // in the core's program
    std::string text;    // as messages name it
  };
  struct row {
    core_space_t space;
    uint64_t count;
    side first, then;  // as the program has them, if one has both
    std::string between, needed;
    bool compiler;  // users' compilers order them, unless told not to
  };
  using line_of = std::function<std::string(uint64_t pc)>;

  explicit race_list(line_of line) : line_(std::move(line)) {}

  // A core's program has pushed a flag; a command with accesses has begun, at a time of its agent's.
  void flag(const std::string &core, uint64_t order, const cmd_set_flag_t &command);
  void began(unsigned domain, unsigned agent, uint32_t time, uint64_t order);
  uint64_t order_of(unsigned domain, unsigned agent, uint32_t time) const;

  void add(core_space_t space, side first, side then);
  const std::vector<row> &rows() const { return rows_; }

 private:
  struct set_flag {
    uint64_t order;
    cmd_set_flag_t command;
  };
  std::string between(const row &race) const;
  std::string needed(const row &race) const;
  unsigned free_event(const row &race) const;

  line_of line_;
  std::map<std::string, std::vector<set_flag>> flags_;                                          // by core
  std::map<std::pair<unsigned, unsigned>, std::vector<std::pair<uint32_t, uint64_t>>> orders_;  // by agent
  std::vector<row> rows_;
};

}  // namespace soc

#endif
