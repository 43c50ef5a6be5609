// Lines of global memory in the scalar cores' caches, which nothing keeps up to date: a line that a core has read stays
// as it was, and what the core has written is seen by nobody else, until CLEAN_LINES writes it back and drops it. Finds
// reads that such a line makes wrong on the chip. Values here are always those of memory.
//
// Lines have 64 bytes. A core keeps each line that it has used, since which of them a cache would have dropped by
// itself is not for a program to rely on.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_SCALAR_LINES_H
#define AMALGAM_SOC_RACES_SCALAR_LINES_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/core.h"

namespace soc {

class scalar_lines {
 public:
  // A read of what a cache has in another form than memory: a write that its line is older than, or one that was not
  // written back.
  struct conflict {
    bool stale;
    std::string core;  // that wrote
    command_t wrote;
  };

  // Notes an access of a command of a core to memory that is not read-only.
  std::optional<conflict> access(const std::string &core, const core_access_t &access, const command_t &command);
  // The core writes back and drops the line that has the byte, or all with gm 0.
  void clean(const std::string &core, uint64_t gm);

 private:
  struct line {  // in a core's cache
    std::string core;
    uint64_t stale = 0, own = 0;  // bytes, a bit each: that others have written since, and that it has not written back
    std::string stale_core;       // the last of those others
    command_t stale_command = {}, own_command = {};
  };
  static uint64_t bytes_of(const core_access_t &access, uint64_t number);
  static std::optional<conflict> read(const std::string &core, bool by_scalar, const line &of, uint64_t bytes);
  static void write(const std::string &core, bool by_scalar, line &of, uint64_t bytes, const command_t &command);
  void take(const std::string &core, uint64_t number);

  std::map<uint64_t, std::vector<line>> lines_;  // by number; those that no core has are not in it
};

}  // namespace soc

#endif
