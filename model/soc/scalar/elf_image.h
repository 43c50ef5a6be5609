// A firmware ELF file: RV64, statically linked, for the scalar core's private RAM.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_ELF_IMAGE_H
#define SOC_ELF_IMAGE_H

#include <cstdint>
#include <string>
#include <vector>

namespace soc {

struct elf_image {
  uint64_t entry;
  std::vector<uint8_t> ram;    // RAM contents from SCALAR_RAM_BASE
};

// Throws std::runtime_error that names the file and what is wrong with it.
elf_image load_elf(const std::string &path, uint64_t ram_bytes);

}  // namespace soc

#endif
