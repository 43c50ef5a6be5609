// Firmware source lines of program counters, for messages and timelines.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_SOURCE_LINE_H
#define AMALGAM_SOC_SCALAR_SOURCE_LINE_H

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "soc/scalar/debug_info.h"

namespace soc {

class source_lines {
 public:
  // The firmware that runs from now on; returns its number.
  unsigned use(const std::string &file);

  // "attention_cube.c:120 (load_stripe)": the innermost frame outside the HAL; without
  // debug information, the address itself.
  const std::string &find(uint64_t pc) { return find(pc, current_); }
  // In one of the firmwares so far.
  const std::string &find(uint64_t pc, unsigned firmware);

  // The line that uses a function of sw/lib, in place of the line in sw/lib itself.
  const std::string &find_use(uint64_t pc, unsigned firmware);
  unsigned current() const { return current_; }
  // " at a.c:7 (f); called from b.c:12 (g), c.c:3 (main)": of the firmware that runs, by addresses within
  // its calls, innermost first; inlined calls and all, but those of the HAL.  "" without addresses.
  std::string backtrace(const std::vector<uint64_t> &calls);

  // ": require(n > 0)": what the line that panics with a code, "PANIC_MACHINE" or "7", has to say; "" if nothing.
  std::string panic_text(const std::vector<uint64_t> &calls, const std::string &code);

  // Sets the load base of the firmware that runs.
  void set_load_base(uint64_t base) { images_[current_].load_base = base; }

 private:
  struct image {
    std::string file;
    debug_info debug;
    uint64_t load_base = 0;
    std::map<uint64_t, std::string> known, uses;

    explicit image(const std::string &path) : file(path), debug(path) {}
    // skipped: begins the names of files that are passed over.
    std::string ask(uint64_t pc, std::initializer_list<const char *> skipped);
  };

  // Frames of calls, but those of the HAL and of what panics.
  std::vector<std::string> frames(const std::vector<uint64_t> &calls);

  std::deque<image> images_;
  unsigned current_ = 0;
};

}  // namespace soc

#endif
