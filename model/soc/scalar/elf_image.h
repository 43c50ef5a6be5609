// A firmware ELF file: RV64, statically linked, for the scalar core's private RAM.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_ELF_IMAGE_H
#define AMALGAM_SOC_SCALAR_ELF_IMAGE_H

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace soc {

struct elf_image {
  uint64_t entry;
  std::vector<uint8_t> ram;  // RAM contents from SCALAR_RAM_BASE
  // Pages of RAM with what is executed and never written, all that is written lies below them; none if the segments
  // say otherwise.
  uint64_t code_begin, code_end;
};

// Throws std::runtime_error that names the file and what is wrong with it.
elf_image load_elf(const std::string &path, uint64_t ram_bytes);

// Shared by all cores that run the same file.
class shared_firmware {
 public:
  struct release {
    size_t bytes;
    void operator()(uint8_t *ram) const { munmap(ram, bytes); }
  };
  using private_ram = std::unique_ptr<uint8_t[], release>;

  // Throws as load_elf does.
  shared_firmware(const std::string &path, uint64_t ram_bytes);

  uint64_t entry() const { return image_.entry; }
  uint64_t ram_bytes() const { return image_.ram.size(); }
  // All cores execute the same from these pages of their RAM; what they write is known to lie below.
  bool fixed_code() const { return image_.code_end != 0; }
  uint64_t code_begin() const { return image_.code_begin; }
  uint64_t code_end() const { return image_.code_end; }

  // A core's RAM as loaded, in whole pages; those behind what is loaded take memory only when they are written.
  private_ram make_ram() const;

  // Instructions of the block of so many bytes at this offset in RAM: of what is loaded as the file has it, of what a
  // program wrote behind it as its RAM has it.  Threads may ask at once.
  uint32_t instructions(const uint8_t *ram, uint64_t begin, uint32_t bytes) {
    if (begin / 2 >= blocks_.size()) {
      return count_instructions(ram, begin, bytes);
    }
    std::atomic<uint32_t> &known = blocks_[begin / 2];
    const uint32_t block = known.load(std::memory_order_relaxed);
    return block >> 16 == bytes ? block & 0xFFFF : remember(known, begin, bytes);
  }

 private:
  uint32_t count_instructions(const uint8_t *ram, uint64_t begin, uint32_t bytes) const;
  uint32_t remember(std::atomic<uint32_t> &known, uint64_t begin, uint32_t bytes) const;

  elf_image image_;
  uint64_t loaded_;                            // bytes from SCALAR_RAM_BASE, zeros behind them
  std::vector<std::atomic<uint32_t>> blocks_;  // by half words of them: bytes << 16 | instructions
};

}  // namespace soc

#endif
