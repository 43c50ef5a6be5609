// Debug information: lines and calls of a few addresses. libdw may fail on it; we may not.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "fuzz.h"
#include "hal/registers.h"
#include "soc/scalar/debug_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  soc::debug_info info(fuzz_file(bytes, size));
  uint64_t registers[soc::debug_info::kRegisters] = {};
  registers[2] = SCALAR_RAM_BASE + 0x100;
  for (uint64_t pc = SCALAR_RAM_BASE; pc < SCALAR_RAM_BASE + 0x40; pc += 0x0a) {
    for (const std::string &frame : info.frames(pc)) {
      FUZZ_EXPECT(frame.find_first_of("\n\"\\") == std::string::npos && frame.size() < 400);
    }
    const std::vector<uint64_t> calls = info.calls(pc, registers, [pc](uint64_t address, uint64_t &word) {
      word = SCALAR_RAM_BASE + address % 64;
      return address != pc;
    });
    FUZZ_EXPECT(!calls.empty() && calls.size() <= 64);
  }
  for (const std::string &text : info.panic_texts()) {
    FUZZ_EXPECT(text.find('\n') == std::string::npos && text.size() <= 400);
  }
  return 0;
}
