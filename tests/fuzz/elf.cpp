// Firmware files: the loader and its refusals.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "fuzz.h"
#include "hal/registers.h"
#include "soc/scalar/elf_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const uint64_t ram = 16 << 10;
  try {
    const soc::elf_image image = soc::load_elf(fuzz_file(bytes, size), ram);
    FUZZ_EXPECT(image.ram.size() == ram && image.entry - SCALAR_RAM_BASE < ram);
  } catch (const std::runtime_error &error) {
    FUZZ_EXPECT(std::string(error.what()).find('\n') == std::string::npos);
  }
  return 0;
}
