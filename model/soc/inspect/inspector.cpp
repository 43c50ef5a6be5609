// SPDX-License-Identifier: Apache-2.0
#include "soc/inspect/inspector.h"

#include <sstream>
#include <stdexcept>

#include "soc/inspect/values.h"
#include "soc/inspect/waits.h"

namespace soc {
namespace {

constexpr char kExpected[] = "': expected help, tensors, show, flags, pipes or why";

constexpr char kHelp[] =
    "help                          this\n"
    "tensors [CORE|all]            what the core's memories and gm hold: type, shape, address, who wrote it\n"
    "show [CORE.]MEMORY ADDRESS    values there, as they were written last; MEMORY: gm, l1, l0a, l0b, l0c, ub, eb\n"
    "show ... ROWSxCOLS TYPE       the same as 16x16 f32; then strips or rows, and pitch BYTES, if they are not the "
    "usual\n"
    "                              ones; in gm ADDRESS may be the name of an array, as out or out+64\n"
    "flags [CORE|all]              flags that are up, and who raised them\n"
    "pipes [CORE|all]              what each pipe is at\n"
    "why [CORE|all]                what each pipe waits for, and what that waits for\n";

std::vector<std::string> split(const std::string &request) {
  std::istringstream stream(request);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::string inspector::answer(const std::string &request, const std::string &here, uint64_t cycle) {
  const look::words asked_for = split(request);
  const std::string what = asked_for.empty() ? "help" : asked_for[0];
  waits waits(machine_, cycle);
  const values values(machine_);
  if (!machine_.sim().options.timing_only) {
    machine_.sim().effects->finish_all(cycle);
  }
  if (what == "help") {
    return kHelp;
  }
  if (what == "tensors") {
    return values.tensors(asked_for, here);
  }
  if (what == "show") {
    return values.show(asked_for, here);
  }
  std::string text;
  if (what != "flags" && what != "pipes" && what != "why") {
    throw std::runtime_error("'" + what + kExpected);
  }
  for (core_unit *c : waits.asked(asked_for, here)) {
    text += what == "flags" ? waits.flags(*c) : what == "pipes" ? waits.pipes(*c) : waits.why(*c);
  }
  return !text.empty() ? text : what == "flags" ? "no flag is up\n" : "nothing is under way\n";
}

void inspector::check(const std::string &request) {
  const look::words asked_for = split(request);
  const std::string what = asked_for.empty() ? "" : asked_for[0];
  const values values(machine_);
  if (what == "show") {
    values.check_show(asked_for);
  } else if (what == "tensors" || what == "flags" || what == "pipes" || what == "why") {
    values.asked(asked_for, "");
  } else if (what != "help") {
    throw std::runtime_error("'" + what + kExpected);
  }
  if (what == "show" || what == "tensors") {
    values.need_values();
  }
}

}  // namespace soc
