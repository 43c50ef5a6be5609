// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/elf_image.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "hal/registers.h"

namespace soc {

elf_image load_elf(const std::string &path, uint64_t ram_bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("firmware: " + path + ": cannot be read");
  }
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) {
    throw std::runtime_error("firmware: " + path + ": not an ELF file");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_RISCV) {
    throw std::runtime_error("firmware: " + path + ": not an ELF file for RV64");
  }
  elf_image image{header.e_entry, std::vector<uint8_t>(ram_bytes)};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t at = header.e_phoff + uint64_t{i} * header.e_phentsize;
    if (at + sizeof segment > bytes.size()) {
      throw std::runtime_error("firmware: " + path + ": truncated");
    }
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) {
      continue;
    }
    const uint64_t offset = segment.p_paddr - SCALAR_RAM_BASE;
    if (segment.p_paddr < SCALAR_RAM_BASE || segment.p_memsz > ram_bytes ||
        offset > ram_bytes - segment.p_memsz) {
      throw std::runtime_error("firmware: " + path + ": does not fit in the scalar core's RAM of " +
                               std::to_string(ram_bytes / 1024) + " KiB");
    }
    if (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset ||
        segment.p_filesz > segment.p_memsz) {
      throw std::runtime_error("firmware: " + path + ": truncated");
    }
    std::memcpy(image.ram.data() + offset, bytes.data() + segment.p_offset, segment.p_filesz);
  }
  return image;
}

}  // namespace soc
