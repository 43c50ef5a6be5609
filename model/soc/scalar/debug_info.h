// What a firmware file's debug information says of an address: the source lines it stands for, and the
// calls that led there. Read with elfutils' libdw.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_DEBUG_INFO_H
#define SOC_DEBUG_INFO_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct Dwarf;

namespace soc {

class debug_info {
 public:
  static constexpr unsigned kRegisters = 32;   // x0 .. x31

  // A file that cannot be read, or has no debug information, knows nothing.
  explicit debug_info(const std::string &file);
  ~debug_info();
  debug_info(const debug_info &) = delete;
  debug_info &operator=(const debug_info &) = delete;

  // "attention_cube.c:53 (load_right)" for the function that an address of the file is in, then for each
  // function that this one was inlined into, with the line of the call. Nothing if the file does not know.
  std::vector<std::string> frames(uint64_t address) const;

  // RV64 firmware: pc, then an address within each call instruction, innermost first. read: eight bytes
  // of the program's memory; false: there are none.
  std::vector<uint64_t> calls(uint64_t pc, const uint64_t registers[kRegisters],
                              const std::function<bool(uint64_t address, uint64_t &word)> &read) const;

 private:
  int file_;
  Dwarf *dwarf_;               // null: none
};

}  // namespace soc

#endif
