// SPDX-License-Identifier: Apache-2.0
#include "soc/inspect/look.h"

#include <stdexcept>

namespace soc {

std::vector<core_unit *> look::cores() const {
  std::vector<core_unit *> list;
  machine_.for_each_core([&list](core_unit &c) { list.push_back(&c); });
  return list;
}

core_unit &look::core(const std::string &name) const {
  for (core_unit *c : cores()) {
    if (c->name() == name) {
      return *c;
    }
  }
  throw std::runtime_error("no core '" + name + "' in this machine");
}

std::vector<core_unit *> look::asked(const words &request, const std::string &here) const {
  if (request.size() > 2) {
    throw std::runtime_error(request[0] + ": expected a core or all, got '" + request[1] + " " + request[2] + "'");
  }
  const std::string name = request.size() == 2 ? request[1] : here.empty() ? "all" : here;
  return name == "all" ? cores() : std::vector<core_unit *>{&core(name)};
}

std::string look::text_of(const command_t &command) {
  char text[512];
  core_disassemble(&command, text, sizeof text);
  return text;
}

}  // namespace soc
