// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/source_line.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "host/utf8.h"

namespace soc {
namespace {

bool begins(const std::string &text, std::initializer_list<const char *> with) {
  return std::any_of(with.begin(), with.end(),
                     [&text](const char *begin) { return text.compare(0, std::strlen(begin), begin) == 0; });
}

// The names of a firmware's files are anybody's. As JSON's texts have it, in which they are written as they are.
std::string plain(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_character(reinterpret_cast<const uint8_t *>(&text[i]), text.size() - i);
    const bool good = length > 1 || (length == 1 && text[i] >= ' ' && text[i] != '"' && text[i] != '\\');
    out.append(good ? text.substr(i, length) : "?");
    i += std::max(length, size_t{1});
  }
  return out;
}

}  // namespace

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

std::string source_lines::image::ask(uint64_t pc, std::initializer_list<const char *> skipped) {
  const std::vector<std::string> all = debug.frames(pc - load_base);
  const auto kernels =
      std::find_if(all.begin(), all.end(), [&skipped](const std::string &frame) { return !begins(frame, skipped); });
  if (all.empty()) {
    char fallback[32];
    std::snprintf(fallback, sizeof fallback, "pc 0x%llx", static_cast<unsigned long long>(pc));
    return fallback;
  }
  return plain(kernels != all.end() ? *kernels : all.back());
}

std::vector<std::string> source_lines::frames(const std::vector<uint64_t> &calls) {
  std::vector<std::string> all;
  image &in = images_[current_];
  for (const uint64_t pc : calls) {
    for (const std::string &frame : in.debug.frames(pc - in.load_base)) {
      if (!begins(frame, {"hal", "panic.h:", "custom.h:"})) {
        all.push_back(frame);
      }
    }
  }
  return all;
}

std::string source_lines::panic_text(const std::vector<uint64_t> &calls, const std::string &code) {
  const std::vector<std::string> all = frames(calls);
  if (all.empty()) {
    return "";
  }
  const std::string line = all[0].substr(0, all[0].find(' ') + 1);  // "a.c:7 "
  const std::string exact = line + code + " ";
  std::string other;  // a name of the kernel's own for its code
  for (const std::string &text : images_[current_].debug.panic_texts()) {
    if (begins(text, {exact.c_str()})) {
      return ": " + text.substr(exact.size());
    }
    if (begins(text, {line.c_str()}) && !begins(text, {(line + "PANIC_").c_str()})) {
      other = ": " + text.substr(std::min(text.size(), text.find(' ', line.size()) + 1));
    }
  }
  return other;
}

std::string source_lines::backtrace(const std::vector<uint64_t> &calls) {
  const std::vector<std::string> all = frames(calls);
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
