// The calls that led to where firmware is, from its ELF's .debug_frame (DWARF 5, section 6.4).
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_UNWIND_H
#define SOC_UNWIND_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace soc {

class unwinder {
 public:
  static constexpr unsigned kRegisters = 32;   // x0 .. x31
  // An ELF without the section, or that cannot be read, has no calls.
  explicit unwinder(const std::string &elf);

  // pc, then an address within each call instruction, innermost first.  read: eight bytes of the
  // program's memory; false: there are none.
  std::vector<uint64_t> calls(uint64_t pc, const uint64_t registers[kRegisters],
                              const std::function<bool(uint64_t address, uint64_t &word)> &read) const;

 private:
  struct row {
    uint64_t cfa_register = 2;
    int64_t cfa_offset = 0;
    bool saved[kRegisters] = {};
    int64_t saved_at[kRegisters] = {};         // from the CFA
  };
  struct reader;
  bool find(uint64_t pc, row &found) const;
  bool run(reader &instructions, size_t end, uint64_t pc, uint64_t location, uint64_t code_align,
           int64_t data_align, const row &initial, row &now) const;

  std::vector<uint8_t> frames_;
};

}  // namespace soc

#endif
