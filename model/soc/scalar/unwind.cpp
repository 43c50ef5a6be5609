// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/unwind.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace soc {
namespace {

enum { RA = 1, SP = 2, MOST_CALLS = 64 };

std::vector<uint8_t> section(const std::string &path, const char *name) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  const auto get = [&bytes](uint64_t at, void *to, size_t size) {
    if (at > bytes.size() || size > bytes.size() - at) {
      return false;
    }
    std::memcpy(to, bytes.data() + at, size);
    return true;
  };
  Elf64_Ehdr header;
  Elf64_Shdr names;
  if (!get(0, &header, sizeof header) ||
      !get(header.e_shoff + uint64_t{header.e_shstrndx} * sizeof names, &names, sizeof names)) {
    return {};
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr s;
    char its_name[16] = "";
    if (get(header.e_shoff + uint64_t{i} * sizeof s, &s, sizeof s) &&
        get(names.sh_offset + s.sh_name, its_name, sizeof its_name) &&
        std::strncmp(its_name, name, sizeof its_name) == 0) {
      std::vector<uint8_t> content(s.sh_size);
      return get(s.sh_offset, content.data(), content.size()) ? content : std::vector<uint8_t>();
    }
  }
  return {};
}

}  // namespace

// Reads past the end give zeros.
struct unwinder::reader {
  const std::vector<uint8_t> &bytes;
  size_t at;

  uint64_t fixed(unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size && at < bytes.size(); ++i) {
      value |= uint64_t{bytes[at++]} << (8 * i);
    }
    return value;
  }
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const uint8_t byte = bytes[at++];
      value |= shift < 64 ? uint64_t{byte & 0x7Fu} << shift : 0;
      if ((byte & 0x80) == 0) {
        break;
      }
    }
    return value;
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (at < bytes.size()) {
      byte = bytes[at++];
      value |= shift < 64 ? uint64_t{byte & 0x7Fu} << shift : 0;
      shift += 7;
      if ((byte & 0x80) == 0) {
        break;
      }
    }
    if (shift < 64 && (byte & 0x40) != 0) {
      value |= ~uint64_t{0} << shift;
    }
    return static_cast<int64_t>(value);
  }
  void skip_text() {
    while (at < bytes.size() && bytes[at++] != 0) {
    }
  }
};

unwinder::unwinder(const std::string &elf) : frames_(section(elf, ".debug_frame")) {}

// Carries out call frame instructions up to the row of pc.  False: one that compilers do not write
// for this machine.
bool unwinder::run(reader &in, size_t end, uint64_t pc, uint64_t location, uint64_t code_align,
                   int64_t data_align, const row &initial, row &now) const {
  std::vector<row> remembered;
  const auto save = [&now, data_align](uint64_t reg, uint64_t factor) {
    if (reg < kRegisters) {
      now.saved[reg] = true;
      now.saved_at[reg] = static_cast<int64_t>(factor) * data_align;
    }
  };
  const auto restore = [&now, &initial](uint64_t reg) {
    if (reg < kRegisters) {
      now.saved[reg] = initial.saved[reg];
      now.saved_at[reg] = initial.saved_at[reg];
    }
  };
  while (in.at < end && location <= pc) {
    const auto code = static_cast<uint8_t>(in.fixed(1));
    const uint8_t low = code & 0x3F;
    switch (code & 0xC0) {
      case 0x40:   // advance_loc
        location += low * code_align;
        if (location > pc) {
          return true;
        }
        continue;
      case 0x80:   // offset
        save(low, in.unsigned_leb());
        continue;
      case 0xC0:   // restore
        restore(low);
        continue;
    }
    switch (code) {
      case 0x00:   // nop
        break;
      case 0x02:   // advance_loc1, 2, 4
      case 0x03:
      case 0x04:
        location += in.fixed(1u << (code - 2)) * code_align;
        if (location > pc) {
          return true;
        }
        break;
      case 0x05: { // offset_extended
        const uint64_t reg = in.unsigned_leb();
        save(reg, in.unsigned_leb());
        break;
      }
      case 0x06:   // restore_extended
        restore(in.unsigned_leb());
        break;
      case 0x07:   // undefined
      case 0x08: { // same_value
        const uint64_t reg = in.unsigned_leb();
        if (reg < kRegisters) {
          now.saved[reg] = false;
        }
        break;
      }
      case 0x0A:   // remember_state
        remembered.push_back(now);
        break;
      case 0x0B:   // restore_state
        if (remembered.empty()) {
          return false;
        }
        now = remembered.back();
        remembered.pop_back();
        break;
      case 0x0C:   // def_cfa
        now.cfa_register = in.unsigned_leb();
        now.cfa_offset = static_cast<int64_t>(in.unsigned_leb());
        break;
      case 0x0D:   // def_cfa_register
        now.cfa_register = in.unsigned_leb();
        break;
      case 0x0E:   // def_cfa_offset
        now.cfa_offset = static_cast<int64_t>(in.unsigned_leb());
        break;
      default:
        return false;
    }
  }
  return true;
}

bool unwinder::find(uint64_t pc, row &found) const {
  for (size_t at = 0; at + 8 < frames_.size();) {
    reader fde{frames_, at};
    const size_t end = at + 4 + static_cast<size_t>(fde.fixed(4));
    const uint64_t cie_at = fde.fixed(4);
    at = end;
    if (cie_at == 0xFFFFFFFF) {
      continue;
    }
    const uint64_t begin = fde.fixed(8);
    if (pc < begin || pc >= begin + fde.fixed(8)) {
      continue;
    }
    reader cie{frames_, static_cast<size_t>(cie_at)};
    const size_t cie_end = cie.at + 4 + static_cast<size_t>(cie.fixed(4));
    cie.fixed(4);
    const uint64_t version = cie.fixed(1);
    cie.skip_text();
    if (version >= 4) {
      cie.fixed(2);   // sizes of addresses and segments
    }
    const uint64_t code_align = cie.unsigned_leb();
    const int64_t data_align = cie.signed_leb();
    version == 1 ? cie.fixed(1) : cie.unsigned_leb();   // the return address's column: ra
    row initial;
    return run(cie, cie_end, UINT64_MAX, 0, code_align, data_align, {}, initial) &&
           (found = initial, run(fde, end, pc, begin, code_align, data_align, initial, found));
  }
  return false;
}

std::vector<uint64_t> unwinder::calls(
    uint64_t pc, const uint64_t registers[kRegisters],
    const std::function<bool(uint64_t address, uint64_t &word)> &read) const {
  std::vector<uint64_t> all = {pc};
  uint64_t now[kRegisters];
  std::memcpy(now, registers, sizeof now);
  row frame;
  while (all.size() < MOST_CALLS && find(all.back(), frame) && frame.cfa_register < kRegisters) {
    const uint64_t cfa = now[frame.cfa_register] + static_cast<uint64_t>(frame.cfa_offset);
    for (unsigned reg = 1; reg < kRegisters; ++reg) {
      if (frame.saved[reg] &&
          !read(cfa + static_cast<uint64_t>(frame.saved_at[reg]), now[reg])) {
        return all;
      }
    }
    const uint64_t caller = now[RA];
    now[SP] = cfa;
    now[RA] = 0;   // of the caller: in its frame, or it is the outermost
    if (caller < 2 || caller - 1 == all.back()) {
      break;
    }
    all.push_back(caller - 1);
  }
  return all;
}

}  // namespace soc
