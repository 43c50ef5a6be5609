// The commands that pipes of a standing machine are at, and the flags that they wait for.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_INSPECT_WAITS_H
#define AMALGAM_SOC_INSPECT_WAITS_H

#include <set>

#include "soc/inspect/look.h"

namespace soc {

// One answer: each pipe is explained once. A core's answer is lines, "" if there is nothing to say.
class waits : public look {
 public:
  // cycle: flags that come up later are not up yet.
  waits(machine &machine, uint64_t cycle) : look(machine), cycle_(cycle) {}
  std::string flags(core_unit &core) const;
  std::string pipes(core_unit &core) const;
  std::string why(core_unit &core);

 private:
  std::string up_since(uint64_t cycle) const;
  void follow(core_unit &core, const pipe &p, unsigned depth, std::string &text);
  void follow_flag(core_unit &core, const pipe &p, unsigned depth, std::string &text);
  void follow_cross(core_unit &core, const pipe &p, unsigned depth, std::string &text);
  static std::string program_state(core_unit &core);
  std::string sync_state(const core_unit &core, const pipe &p) const;

  uint64_t cycle_;
  std::set<const pipe *> explained_;
};

}  // namespace soc

#endif
