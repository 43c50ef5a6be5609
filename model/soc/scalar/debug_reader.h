// A firmware file's debug information about an address, read with elfutils' libdw, which trusts
// the file: a broken file may end or hold up the process. Use debug_info.h instead.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_DEBUG_READER_H
#define AMALGAM_SOC_SCALAR_DEBUG_READER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct Dwarf;

namespace soc {

class debug_reader {
 public:
  static constexpr unsigned kRegisters = 32;  // x0 .. x31

  // A file that cannot be read, or has no debug information, knows nothing.
  explicit debug_reader(const std::string &file);
  ~debug_reader();
  debug_reader(const debug_reader &) = delete;
  debug_reader &operator=(const debug_reader &) = delete;

  // As those of debug_info.
  std::vector<std::string> frames(uint64_t address) const;

  std::vector<std::string> panic_texts() const;

  std::vector<uint64_t> calls(uint64_t pc, const uint64_t registers[kRegisters],
                              const std::function<bool(uint64_t address, uint64_t &word)> &read) const;

 private:
  int file_;
  Dwarf *dwarf_;  // null: none
};

}  // namespace soc

#endif
