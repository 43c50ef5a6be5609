// Questions to a standing machine, in words: gdb's `monitor` and --show-on-stop.
//
//   help                                            what there is to ask
//   tensors [CORE]                                  what the memories hold, and who wrote it
//   show [CORE.]MEMORY ADDRESS [ROWSxCOLS TYPE]     values
//   flags [CORE]   pipes [CORE]   why [CORE]        flags that are up; what pipes are at; what they wait for
//
// Nothing here changes the machine, but that arithmetic which is due is carried out at once.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_INSPECT_INSPECTOR_H
#define AMALGAM_SOC_INSPECT_INSPECTOR_H

#include <cstdint>
#include <string>

#include "soc/cores/machine.h"

namespace soc {

class inspector {
 public:
  explicit inspector(machine &machine) : machine_(machine) {}

  // The answer, lines that end. here: whose program stands, "": nobody's. Values are those that effects up to the cycle
  // have left; UINT64_MAX: all that is known to have had its effect. Throws std::runtime_error, with a line, if
  // the request makes no sense.
  std::string answer(const std::string &request, const std::string &here, uint64_t cycle);
  // Throws the same, and answers nothing.
  void check(const std::string &request);

 private:
  machine &machine_;
};

}  // namespace soc

#endif
