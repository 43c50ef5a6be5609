// Shared by all that look at a standing machine: its cores, and commands as text.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_INSPECT_LOOK_H
#define AMALGAM_SOC_INSPECT_LOOK_H

#include <cstdint>
#include <string>
#include <vector>

#include "soc/cores/machine.h"

namespace soc {

class look {
 public:
  using words = std::vector<std::string>;

  explicit look(machine &machine) : machine_(machine), sim_(machine.sim()) {}
  std::vector<core_unit *> cores() const;
  // Throws std::runtime_error if there is none of that name.
  core_unit &core(const std::string &name) const;
  // The cores that a request is about: the one that it names, else the one whose program stands, else all.
  std::vector<core_unit *> asked(const words &request, const std::string &here) const;
  std::string line_of(const command_t &command) const { return sim_.lines.find(command.header.pc_); }
  static std::string text_of(const command_t &command);

 protected:
  machine &machine_;
  simulation &sim_;
};

}  // namespace soc

#endif
