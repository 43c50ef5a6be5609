// SPDX-License-Identifier: Apache-2.0
#include "soc/inspect/inspector.h"

#include <sstream>
#include <stdexcept>

namespace soc {
namespace {

constexpr char kHelp[] =
    "help                          this\n"
    "tensors [CORE|all]            what the core's memories and gm hold: type, shape, address, who wrote it\n"
    "show [CORE.]MEMORY ADDRESS    values there, as they were written last; MEMORY: gm, l1, l0a, l0b, l0c, ub, eb\n"
    "show ... ROWSxCOLS TYPE       the same as 16x16 f32; then strips or rows, and pitch BYTES, if they are not the usual\n"
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

std::vector<core_unit *> inspector::cores() const {
  std::vector<core_unit *> list;
  all_.for_each_core([&list](core_unit &c) { list.push_back(&c); });
  return list;
}

core_unit &inspector::core(const std::string &name) const {
  for (core_unit *c : cores()) {
    if (c->name() == name) {
      return *c;
    }
  }
  throw std::runtime_error("no core '" + name + "' in this machine");
}

// The cores that a request is about: the one that it names, else the one that stands, else all.
std::vector<core_unit *> inspector::asked(const words &request, const std::string &here) const {
  if (request.size() > 2) {
    throw std::runtime_error(request[0] + ": expected a core or all, got '" + request[1] + " " + request[2] + "'");
  }
  const std::string name = request.size() == 2 ? request[1] : here.empty() ? "all" : here;
  return name == "all" ? cores() : std::vector<core_unit *>{&core(name)};
}

std::string inspector::line_of(const command_t &command) const { return sim_.lines.find(command.header.pc_); }

std::string inspector::text_of(const command_t &command) const {
  char text[512];
  core_disassemble(&command, text, sizeof text);
  return text;
}

std::string inspector::answer(const std::string &request, const std::string &here, uint64_t cycle) {
  const words asked_for = split(request);
  const std::string what = asked_for.empty() ? "help" : asked_for[0];
  cycle_ = cycle;
  explained_.clear();
  if (!sim_.options.timing_only) {
    sim_.work->finish_all(cycle);
  }
  if (what == "help") {
    return kHelp;
  }
  if (what == "tensors") {
    return tensors(asked_for, here);
  }
  if (what == "show") {
    return show(asked_for, here);
  }
  std::string text;
  for (core_unit *c : what == "flags" || what == "pipes" || what == "why" ? asked(asked_for, here) : cores()) {
    if (what == "flags") {
      text += flags(*c);
    } else if (what == "pipes") {
      text += pipes(*c);
    } else if (what == "why") {
      text += why(*c);
    } else {
      throw std::runtime_error("'" + what + "': expected help, tensors, show, flags, pipes or why");
    }
  }
  return !text.empty() ? text : what == "flags" ? "no flag is up\n" : "nothing is under way\n";
}

void inspector::check(const std::string &request) {
  const words asked_for = split(request);
  const std::string what = asked_for.empty() ? "" : asked_for[0];
  if (what == "show") {
    find_place(asked_for, "");
  } else if (what == "tensors" || what == "flags" || what == "pipes" || what == "why") {
    asked(asked_for, "");
  } else if (what != "help") {
    throw std::runtime_error("'" + what + "': expected help, tensors, show, flags, pipes or why");
  }
  if (what == "show" || what == "tensors") {
    need_values();
  }
}

}  // namespace soc
