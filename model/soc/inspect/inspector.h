// What somebody who looks at a standing machine may ask it, in words: gdb's `monitor` and --show-on-stop.
//
//   help                                            what there is to ask
//   tensors [CORE]                                  what the memories hold, and who wrote it
//   show [CORE.]MEMORY ADDRESS [ROWSxCOLS TYPE]     values
//   flags [CORE]   pipes [CORE]   why [CORE]        flags that are up; what pipes are at; what they wait for
//
// Nothing here changes the machine, but that arithmetic which is due is carried out at once.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_INSPECTOR_H
#define SOC_INSPECTOR_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "soc/cores/machine.h"

namespace soc {

class inspector {
 public:
  explicit inspector(machine &all) : all_(all), sim_(all.sim()) {}

  // The answer, lines that end. here: whose program stands, "": nobody's. Values are those that effects up to the cycle
  // have left; with everything: all that is known to have had its effect. Throws std::runtime_error, with a line, if
  // the request makes no sense.
  std::string answer(const std::string &request, const std::string &here, uint64_t cycle);
  // Throws the same, and answers nothing.
  void check(const std::string &request);

  // The clock of a core's program.
  uint64_t time_of(const std::string &name) const { return core(name).program().time(); }

  static constexpr uint64_t kEverything = UINT64_MAX;

 private:
  using words = std::vector<std::string>;
  struct place {
    core_unit *core;             // that sees it
    core_space_t space;
    core_tensor_t tensor;        // as asked for; rows 0: as it was written last
  };
  std::vector<core_unit *> cores() const;
  core_unit &core(const std::string &name) const;
  std::vector<core_unit *> asked(const words &request, const std::string &here) const;
  std::string line_of(const command_t &command) const;
  std::string text_of(const command_t &command) const;

  // inspector_values.cpp
  void need_values() const;
  place find_place(const words &request, const std::string &here) const;
  void take_layout(place &where, const words &request) const;
  uint64_t find_address(const core_unit &core, core_space_t space, const std::string &text) const;
  std::string gm_name(uint64_t address) const;
  std::string tensors(const words &request, const std::string &here) const;
  std::string tensors_of(core_unit &core, core_space_t space) const;
  std::string show(const words &request, const std::string &here) const;
  std::string writer_of(const tensor_book::entry &e) const;

  // inspector_waits.cpp
  std::string flags(core_unit &core) const;
  std::string pipes(core_unit &core) const;
  std::string up_since(uint64_t cycle) const;
  std::string why(core_unit &core);
  void follow(core_unit &core, const pipe &p, unsigned depth, std::string &text);
  void follow_flag(core_unit &core, const pipe &p, unsigned depth, std::string &text);
  void follow_cross(core_unit &core, const pipe &p, unsigned depth, std::string &text);
  std::string program_state(core_unit &core) const;
  std::string sync_state(const core_unit &core, const pipe &p) const;

  machine &all_;
  simulation &sim_;
  uint64_t cycle_ = 0;           // of the answer
  std::set<const pipe *> explained_;   // in it
};

}  // namespace soc

#endif
