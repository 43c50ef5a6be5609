// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/debug_reader.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace soc {
namespace {

enum { RA = 1, SP = 2, MOST_CALLS = 64, MOST_FRAMES = 64, MOST_NAME = 120, MOST_RECORD = 400 };

struct free_memory {
  void operator()(void *memory) const { std::free(memory); }
};
template <typename T>
using from_libdw = std::unique_ptr<T, free_memory>;

// The compilation unit of an address. By the units' own ranges: not every compiler writes a table.
bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die &unit) {
  Dwarf_CU *cu = nullptr;
  while (dwarf_get_units(dwarf, cu, &cu, nullptr, nullptr, &unit, nullptr) == 0) {
    if (dwarf_haspc(&unit, address) == 1) {
      return true;
    }
  }
  return false;
}

// The scopes around an address, innermost first. (libdw's own search wants a function and what is inlined into it in
// one unit, which a link across units does not leave so.)
std::vector<Dwarf_Die> scopes_at(const Dwarf_Die &unit, uint64_t address) {
  std::vector<Dwarf_Die> scopes;
  Dwarf_Die outer = unit;
  Dwarf_Die scope;
  bool more = dwarf_child(&outer, &scope) == 0;
  while (more) {
    if (dwarf_haspc(&scope, address) == 1) {
      scopes.insert(scopes.begin(), scope);
      outer = scope;
      more = dwarf_child(&outer, &scope) == 0;
    } else {
      more = dwarf_siblingof(&scope, &scope) == 0;
    }
  }
  return scopes;
}

uint64_t number_of(Dwarf_Die &die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  dwarf_formudata(dwarf_attr(&die, attribute, &found), &value);
  return value;
}

// A name as messages, JSON and waveforms can have it: short, printable, without quotes.
std::string plain(const char *name) {
  std::string text(name, strnlen(name, MOST_NAME));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; }, '?');
  return text;
}

// "dir/a.c:7 CODE text" without its folders, printable and not too long.
std::string record(const char *bytes, size_t most) {
  std::string text(bytes, strnlen(bytes, std::min<size_t>(most, MOST_RECORD)));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  const size_t slash = text.substr(0, text.find(' ')).rfind('/');
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

// Headers of Ascend C are the machine's calls, as the HAL's are, and so are the compiler's.
bool is_layer(const char *file) {
  return std::strstr(file, "/sw/ascend/") != nullptr ? std::strstr(file, "/sw/ascend/examples/") == nullptr
                                                     : std::strstr(file, "/include/c++/") != nullptr;
}

std::string describe(const char *file, uint64_t line, const char *function) {
  const char *slash = std::strrchr(file, '/');
  return (is_layer(file) ? "hal/" : "") + plain(slash != nullptr ? slash + 1 : file) + ":" + std::to_string(line) +
         " (" + plain(function != nullptr ? function : "??") + ")";
}

}  // namespace

debug_reader::debug_reader(const std::string &file)
    : file_(open(file.c_str(), O_RDONLY | O_CLOEXEC)),
      dwarf_(file_ >= 0 ? dwarf_begin(file_, DWARF_C_READ) : nullptr) {}

debug_reader::~debug_reader() {
  dwarf_end(dwarf_);
  if (file_ >= 0) {
    close(file_);
  }
}

std::vector<std::string> debug_reader::frames(uint64_t address) const {
  std::vector<std::string> all;
  Dwarf_Die unit;
  if (dwarf_ == nullptr || !find_unit(dwarf_, address, unit)) {
    return all;
  }
  Dwarf_Line *row = dwarf_getsrc_die(&unit, address);
  const char *file = dwarf_linesrc(row, nullptr, nullptr);
  int number = 0;
  if (file == nullptr || dwarf_lineno(row, &number) != 0) {
    return all;
  }
  auto line = static_cast<uint64_t>(number);
  Dwarf_Files *files = nullptr;
  dwarf_getsrcfiles(&unit, &files, nullptr);
  for (Dwarf_Die &scope : scopes_at(unit, address)) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) {
      continue;
    }
    all.push_back(describe(file, line, dwarf_diename(&scope)));
    if (tag == DW_TAG_subprogram || all.size() == MOST_FRAMES) {
      break;
    }
    const char *caller = dwarf_filesrc(files, number_of(scope, DW_AT_call_file), nullptr, nullptr);
    file = caller != nullptr ? caller : file;
    line = number_of(scope, DW_AT_call_line);
  }
  if (all.empty()) {
    all.push_back(describe(file, line, nullptr));
  }
  return all;
}

// The records of section .require: texts, each ended by a zero byte. Their file is as the compiler was told it.
std::vector<std::string> debug_reader::panic_texts() const {
  std::vector<std::string> all;
  Elf *elf = dwarf_ == nullptr ? nullptr : dwarf_getelf(dwarf_);
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) {
    return all;
  }
  for (Elf_Scn *section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) == nullptr ? nullptr : elf_strptr(elf, names, header.sh_name);
    const Elf_Data *data =
        name != nullptr && std::strcmp(name, ".require") == 0 ? elf_getdata(section, nullptr) : nullptr;
    if (data == nullptr || data->d_buf == nullptr) {
      continue;
    }
    const auto *bytes = static_cast<const char *>(data->d_buf);
    for (size_t at = 0; at < data->d_size; at += strnlen(bytes + at, data->d_size - at) + 1) {
      all.push_back(record(bytes + at, data->d_size - at));
    }
  }
  return all;
}

// Reads the call frame information that compilers write for RV64: the frame is at an offset from a
// register, a register is where it was or at an offset in the frame.
std::vector<uint64_t> debug_reader::calls(uint64_t pc, const uint64_t registers[kRegisters],
                                          const std::function<bool(uint64_t address, uint64_t &word)> &read) const {
  std::vector<uint64_t> all = {pc};
  uint64_t now[kRegisters];
  std::memcpy(now, registers, sizeof now);
  Dwarf_CFI *cfi = dwarf_ != nullptr ? dwarf_getcfi(dwarf_) : nullptr;
  while (cfi != nullptr && all.size() < MOST_CALLS) {
    Dwarf_Frame *found = nullptr;
    if (dwarf_cfi_addrframe(cfi, all.back(), &found) != 0) {
      break;
    }
    const from_libdw<Dwarf_Frame> frame(found);
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (dwarf_frame_cfa(frame.get(), &ops, &count) != 0 || count != 1 || ops->atom != DW_OP_bregx ||
        ops->number >= kRegisters) {
      break;
    }
    const uint64_t cfa = now[ops->number] + ops->number2;
    for (int reg = 1; reg < int{kRegisters}; ++reg) {
      Dwarf_Op space[3];
      const bool known = dwarf_frame_register(frame.get(), reg, space, &ops, &count) == 0;
      if (known && count > 0 && ops[0].atom == DW_OP_call_frame_cfa &&
          !read(cfa + (count > 1 ? ops[1].number : 0), now[reg])) {
        return all;
      }
    }
    const uint64_t caller = now[RA];
    now[SP] = cfa;
    now[RA] = 0;  // of the caller: in its frame, or it is the outermost
    if (caller < 2 || caller - 1 == all.back()) {
      break;
    }
    all.push_back(caller - 1);
  }
  return all;
}

}  // namespace soc
