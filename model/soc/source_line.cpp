// SPDX-License-Identifier: Apache-2.0
#include "soc/source_line.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace soc {

unsigned source_lines::use(const std::string &file) {
  for (current_ = 0; current_ < images_.size(); ++current_) {
    if (images_[current_].file == file) {
      return current_;
    }
  }
  images_.emplace_back().file = file;
  return current_;
}

const std::string &source_lines::find(uint64_t pc, unsigned firmware) {
  image &in = images_[firmware];
  auto found = in.known.find(pc);
  if (found == in.known.end()) {
    found = in.known.emplace(pc, ask(in, pc, {"hal"})).first;
  }
  return found->second;
}

const std::string &source_lines::find_use(uint64_t pc, unsigned firmware) {
  image &in = images_[firmware];
  auto found = in.uses.find(pc);
  if (found == in.uses.end()) {
    found = in.uses.emplace(pc, ask(in, pc, {"hal", "ring.h"})).first;
  }
  return found->second;
}

std::string source_lines::ask(const image &in, uint64_t pc,
                              std::initializer_list<const char *> skipped) const {
  char fallback[32];
  std::snprintf(fallback, sizeof fallback, "pc 0x%llx", static_cast<unsigned long long>(pc));
  if (in.file.find('\'') != std::string::npos) {
    return fallback;
  }
  char command[1024];
  std::snprintf(command, sizeof command, "%saddr2line -f -i -s -e '%s' 0x%llx 2>/dev/null",
                riscv_ ? "riscv64-unknown-elf-" : "", in.file.c_str(),
                static_cast<unsigned long long>(pc - in.load_base));
  FILE *pipe = popen(command, "r");
  if (pipe == nullptr) {
    return fallback;
  }
  // Pairs of lines, innermost frame first: function, then file:line.
  std::string answer = fallback;
  char function[256];
  char line[256];
  while (std::fgets(function, sizeof function, pipe) && std::fgets(line, sizeof line, pipe)) {
    function[std::strcspn(function, "\n")] = '\0';
    line[std::strcspn(line, " \n")] = '\0';
    if (line[0] == '?') {
      break;
    }
    answer = std::string(line) + " (" + function + ")";
    const auto begins = [&line](const char *name) {
      return std::strncmp(line, name, std::strlen(name)) == 0;
    };
    if (std::none_of(skipped.begin(), skipped.end(), begins)) {
      break;
    }
  }
  pclose(pipe);
  return answer;
}

}  // namespace soc
