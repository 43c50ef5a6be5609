// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/source_line.h"

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
  images_.emplace_back(file);
  return current_;
}

const std::string &source_lines::find(uint64_t pc, unsigned firmware) {
  image &in = images_[firmware];
  auto found = in.known.find(pc);
  if (found == in.known.end()) {
    found = in.known.emplace(pc, in.ask(pc, {"hal"})).first;
  }
  return found->second;
}

const std::string &source_lines::find_use(uint64_t pc, unsigned firmware) {
  image &in = images_[firmware];
  auto found = in.uses.find(pc);
  if (found == in.uses.end()) {
    found = in.uses.emplace(pc, in.ask(pc, {"hal", "ring.h"})).first;
  }
  return found->second;
}

std::string source_lines::image::ask(uint64_t pc,
                                     std::initializer_list<const char *> skipped) {
  const std::vector<std::string> all = debug.frames(pc - load_base);
  const auto kernels = std::find_if(all.begin(), all.end(), [&skipped](const std::string &frame) {
    return std::none_of(skipped.begin(), skipped.end(), [&frame](const char *name) {
      return frame.compare(0, std::strlen(name), name) == 0;
    });
  });
  if (all.empty()) {
    char fallback[32];
    std::snprintf(fallback, sizeof fallback, "pc 0x%llx", static_cast<unsigned long long>(pc));
    return fallback;
  }
  return kernels != all.end() ? *kernels : all.back();
}

std::string source_lines::backtrace(const std::vector<uint64_t> &calls) {
  std::vector<std::string> all;
  image &in = images_[current_];
  for (const uint64_t pc : calls) {
    for (const std::string &frame : in.debug.frames(pc - in.load_base)) {
      if (frame.compare(0, 3, "hal") != 0 && frame.compare(0, 8, "panic.h:") != 0 && frame.compare(0, 9, "custom.h:") != 0) {
        all.push_back(frame);
      }
    }
  }
  if (all.empty()) {
    return calls.empty() ? "" : " at " + find(calls.front());
  }
  std::string text = " at " + all[0];
  for (size_t i = 1; i < all.size(); ++i) {
    text += (i == 1 ? "; called from " : ", ") + all[i];
  }
  return text;
}

}  // namespace soc
