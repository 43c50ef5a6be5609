// Firmware source lines of program counters, for messages and timelines.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_SOURCE_LINE_H
#define SOC_SOURCE_LINE_H

#include <cstdint>
#include <map>
#include <string>

namespace soc {

class source_lines {
 public:
  source_lines(std::string file, bool riscv) : file_(std::move(file)), riscv_(riscv) {}

  // "attention_cube.c:120 (load_stripe)": the innermost frame outside the HAL.  Asks binutils'
  // addr2line, once for each address; without it, the address itself.
  const std::string &find(uint64_t pc);

  void set_load_base(uint64_t base) { load_base_ = base; }

 private:
  std::string ask(uint64_t pc) const;

  std::string file_;
  bool riscv_;
  uint64_t load_base_ = 0;
  std::map<uint64_t, std::string> known_;
};

}  // namespace soc

#endif
