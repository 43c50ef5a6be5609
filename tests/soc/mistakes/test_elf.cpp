// Firmware files that are broken: the loader names the file and what it expected; debug information that is
// broken, or made to harm its reader, leaves lines unknown and stops nothing.
// SPDX-License-Identifier: Apache-2.0
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

#include "hal/registers.h"
#include "num/num_rng.h"
#include "soc/scalar/debug_info.h"
#include "soc/scalar/elf_image.h"
#include "test.h"  // its macros break the headers above

namespace {

constexpr uint64_t kRam = 256 << 10;
constexpr double kSecondsMost = 30;  // of a reader that is ended (3 s of its own), on a busy host

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const std::string &good() {
  static const std::string bytes = read_file(FIRMWARE_DIR "/amla.elf");
  assert_true(bytes.size() > 4096);
  return bytes;
}

// A file of these bytes, while it is needed.
class file {
 public:
  explicit file(const std::string &bytes) {
    const int number = mkstemp(path_);
    assert_true(number >= 0);
    assert_int_equal(write(number, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(number);
  }
  ~file() { unlink(path_); }
  file(const file &) = delete;
  file &operator=(const file &) = delete;
  const char *path() const { return path_; }

 private:
  char path_[32] = "/tmp/test_elf_XXXXXX";
};

// --- the loader -------------------------------------------------------------------------------

std::string refusal(const std::string &path) {
  try {
    soc::load_elf(path, kRam);
  } catch (const std::runtime_error &error) {
    const std::string text = error.what();
    assert_non_null(std::strstr(text.c_str(), path.c_str()));
    return text;
  }
  return "";
}

void refused(const std::string &bytes, const char *why) {
  const file bad(bytes);
  const std::string text = refusal(bad.path());
  if (text.empty() || text.find(why) == std::string::npos) {
    fail_msg("'%s', expected '%s'", text.c_str(), why);
  }
}

template <typename T>
std::string patched(size_t offset, T value) {
  std::string bytes = good();
  std::memcpy(&bytes[offset], &value, sizeof value);
  return bytes;
}
#define HEADER(field, value) patched(offsetof(Elf64_Ehdr, field), decltype(Elf64_Ehdr::field)(value))
// A field of segment 0, the stack, or 1, the program.
#define SEGMENT(number, field, value)                                                       \
  patched(sizeof(Elf64_Ehdr) + (number) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field), \
          decltype(Elf64_Phdr::field)(value))

TEST(loads) {
  const file whole(good());
  const soc::elf_image image = soc::load_elf(whole.path(), kRam);
  assert_int_equal(image.entry, SCALAR_RAM_BASE + 0x2000);
  assert_int_equal(image.ram.size(), kRam);
  assert_memory_equal(&image.ram[0x2000], &good()[0x1000], 0x1000);
}

// Cores of one file: the same program, RAM of their own, blocks counted once.
TEST(is_shared) {
  const uint8_t code[] = {0x13, 0, 0, 0, 0x01, 0, 0x01, 0, 0x13, 0, 0, 0};  // nop, c.nop, c.nop, nop
  std::string bytes = good();
  std::memcpy(&bytes[0x1000], code, sizeof code);
  const file whole(bytes);
  const soc::elf_image image = soc::load_elf(whole.path(), kRam);
  soc::shared_firmware shared(whole.path(), kRam);
  assert_int_equal(shared.entry(), image.entry);
  assert_int_equal(shared.ram_bytes(), kRam);
  const auto ram = shared.make_ram(), other = shared.make_ram();
  assert_memory_equal(ram.get(), image.ram.data(), kRam);
  assert_memory_equal(other.get(), ram.get(), kRam);
  const uint64_t behind = kRam - sizeof code;  // what is loaded: a program wrote it
  std::memcpy(&ram[behind], code, sizeof code);
  for (const uint64_t at : {UINT64_C(0x2000), behind}) {
    for (unsigned again = 0; again < 2; ++again) {
      assert_int_equal(shared.instructions(ram.get(), at, 12), 4);
      assert_int_equal(shared.instructions(ram.get(), at, 6), 2);
      assert_int_equal(shared.instructions(ram.get(), at + 4, 8), 3);
    }
  }
}

TEST(other_files) {
  refused("", "not an ELF file");
  refused("#!/bin/sh\n", "not an ELF file");
  refused("!<arch>\n", "not an ELF file");
  refused(good().substr(0, 20), "ELF");
  refused(good().substr(0, 63), "ELF");
  refused(good().substr(0, 100), "truncated");
  refused(good().substr(0, 0x2000), "truncated");
  refused(patched<uint8_t>(EI_CLASS, ELFCLASS32), "RV64");
  refused(patched<uint8_t>(EI_CLASS, 9), "ELF");
  refused(patched<uint8_t>(EI_DATA, ELFDATA2MSB), "little endian");
  refused(patched<uint8_t>(EI_DATA, 0), "ELF");
  refused(HEADER(e_machine, EM_X86_64), "RV64");
  for (const int type : {ET_NONE, ET_REL, ET_DYN, ET_CORE}) {
    refused(HEADER(e_type, type), "type EXEC");
  }
  assert_non_null(std::strstr(refusal("/no/such.elf").c_str(), "No such file"));
  assert_non_null(std::strstr(refusal("/tmp").c_str(), "regular file"));
  assert_non_null(std::strstr(refusal("/dev/zero").c_str(), "regular file"));
  const file name("");
  unlink(name.path());
  assert_int_equal(mkfifo(name.path(), 0600), 0);
  assert_non_null(std::strstr(refusal(name.path()).c_str(), "regular file"));
}

TEST(bad_headers) {
  for (const uint64_t offset : {~0ull, ~0ull - 31, ~0ull - 55, ~0ull - 111, 1ull << 63, 1ull << 32}) {
    refused(HEADER(e_phoff, offset), "truncated");
  }
  refused(HEADER(e_phoff, good().size() - 60), "truncated");
  refused(HEADER(e_phoff, 0), "program headers");
  refused(HEADER(e_phentsize, 0), "expected 56");
  refused(HEADER(e_phentsize, 55), "expected 56");
  refused(HEADER(e_phentsize, 0xffff), "expected 56");
  refused(HEADER(e_phnum, 0), "nothing to load");
  refused(HEADER(e_phnum, 0xffff), "at most 64");
  refused(HEADER(e_phnum, 65), "at most 64");
}

TEST(bad_segments) {
  for (const uint64_t address : {uint64_t{0}, uint64_t{SCALAR_RAM_BASE} - 1, uint64_t{SCALAR_RAM_BASE} + kRam,
                                 uint64_t{SCALAR_RAM_BASE} + kRam - 1, ~uint64_t{0}, ~uint64_t{0} - 0x4f63}) {
    refused(SEGMENT(1, p_paddr, address), "does not fit");
  }
  for (const uint64_t size : {uint64_t{kRam}, ~uint64_t{0}, uint64_t{1} << 63}) {
    refused(SEGMENT(1, p_memsz, size), "does not fit");
  }
  refused(SEGMENT(1, p_memsz, 16), "more bytes in the file than in memory");
  refused(SEGMENT(0, p_filesz, ~0ull), "more bytes in the file than in memory");
  for (const uint64_t offset : {~0ull, ~0ull - 0x4f63, 1ull << 63, 1ull << 62}) {
    refused(SEGMENT(1, p_offset, offset), "truncated");
  }
  refused(SEGMENT(1, p_offset, good().size() - 16), "truncated");
  refused(SEGMENT(1, p_paddr, SCALAR_RAM_BASE), "overlap");
  refused(SEGMENT(0, p_memsz, 0x2002), "overlap");
  refused(SEGMENT(1, p_type, PT_NOTE), "entry point");
  refused(SEGMENT(0, p_type, PT_INTERP), "static");
  refused(SEGMENT(0, p_type, PT_DYNAMIC), "static");
  for (const uint64_t entry : {uint64_t{0}, ~uint64_t{0}, uint64_t{SCALAR_RAM_BASE}, uint64_t{SCALAR_RAM_BASE} + 0x2001,
                               uint64_t{SCALAR_RAM_BASE} + 0x2000 + 0x10000}) {
    refused(HEADER(e_entry, entry), "entry point");
  }
}

// --- debug information ------------------------------------------------------------------------

// Asks all over the program; how long that took.
double ask_everywhere(const char *path) {
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  soc::debug_info info(path);
  uint64_t registers[soc::debug_info::kRegisters] = {};
  registers[2] = SCALAR_RAM_BASE + 0x800;
  for (uint64_t pc = SCALAR_RAM_BASE + 0x2000; pc < SCALAR_RAM_BASE + 0x7000; pc += 0x244) {
    for (const std::string &frame : info.frames(pc)) {
      assert_true(frame.find_first_of("\n\"\\\x1b") == std::string::npos);
    }
    const auto all = info.calls(pc, registers, [pc](uint64_t, uint64_t &word) {
      word = pc + 0x100;
      return true;
    });
    assert_true(!all.empty() && all[0] == pc);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return double(end.tv_sec - begin.tv_sec) + double(end.tv_nsec - begin.tv_nsec) * 1e-9;
}

void harmless(const std::string &bytes) {
  const file bad(bytes);
  assert_true(ask_everywhere(bad.path()) < kSecondsMost);
}

// The section's header and bytes.
struct section {
  size_t header;
  uint64_t offset, size;
};
section find(const char *wanted) {
  std::string bytes = good();
  elf_version(EV_CURRENT);
  Elf *elf = elf_memory(&bytes[0], bytes.size());
  size_t names = 0, number = 0;
  GElf_Ehdr header;
  assert_non_null(gelf_getehdr(elf, &header));
  assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
  section found = {};
  for (Elf_Scn *at = nullptr; (at = elf_nextscn(elf, at)) != nullptr;) {
    GElf_Shdr shdr;
    gelf_getshdr(at, &shdr);
    number = elf_ndxscn(at);
    if (std::strcmp(elf_strptr(elf, names, shdr.sh_name), wanted) == 0) {
      found = {header.e_shoff + number * sizeof(Elf64_Shdr), shdr.sh_offset, shdr.sh_size};
    }
  }
  elf_end(elf);
  assert_true(found.size > 0);
  return found;
}

const char *const kSections[] = {".debug_info", ".debug_abbrev", ".debug_line", ".debug_frame"};

TEST(lines_are_known) {
  soc::debug_info info(FIRMWARE_DIR "/amla.elf");
  assert_true(!info.frames(SCALAR_RAM_BASE + 0x2100).empty());
  assert_true(info.frames(SCALAR_RAM_BASE + kRam).empty() && info.frames(~uint64_t{0}).empty());
}

TEST(bad_sections) {
  for (const char *name : kSections) {
    const section s = find(name);
    for (const uint64_t size : {~0ull, 1ull << 63, 1ull << 40, 0ull, 1ull, 17ull}) {
      harmless(patched(s.header + offsetof(Elf64_Shdr, sh_size), size));
    }
    harmless(patched(s.header + offsetof(Elf64_Shdr, sh_offset), ~0ull - 8));
    harmless(patched(s.header + offsetof(Elf64_Shdr, sh_flags), uint64_t{SHF_COMPRESSED}));
    for (const uint32_t length : {0u, 1u, 3u, 0xfffffff0u, 0xffffffffu, 0x7fffffffu}) {
      harmless(patched(s.offset, length));
    }
    std::string bytes = good();
    std::memset(&bytes[s.offset], 0xff, s.size);
    harmless(bytes);
  }
}

// Every call frame entry: cut, of length 0, of a length that leads back to itself.
TEST(bad_frames) {
  const section s = find(".debug_frame");
  uint32_t length;
  size_t entries = 0;
  for (size_t at = s.offset; at + 8 < s.offset + s.size && entries < 12; at += 4 + length, ++entries) {
    std::memcpy(&length, &good()[at], sizeof length);
    for (const uint32_t bad : {0u, 4u, length - 1, length / 2, length + 4, ~length, 0xfffffffcu, 0xffffffffu}) {
      harmless(patched(at, bad));
    }
  }
  assert_true(entries > 4);
}

TEST(random_bytes) {
  num_rng_t rng;
  num_rng_seed(&rng, 20);
  for (unsigned i = 0; i < 100; ++i) {
    const section s = find(kSections[num_rng_u64(&rng) % std::size(kSections)]);
    std::string bytes = good();
    for (uint64_t changes = 1 + num_rng_u64(&rng) % 8; changes > 0; --changes) {
      bytes[s.offset + num_rng_u64(&rng) % s.size] = static_cast<char>(num_rng_u64(&rng));
    }
    harmless(bytes);
  }
}

// An ELF file of two sections.
std::string made_up(const std::string &info, const std::string &abbreviations, uint64_t flags = 0) {
  const std::string names("\0.debug_info\0.debug_abbrev\0.names\0", 34);
  Elf64_Ehdr header = {};
  std::memcpy(&header, good().data(), sizeof header);
  header.e_phnum = 0;
  header.e_phoff = 0;
  header.e_shoff = sizeof header;
  header.e_shnum = 4;
  header.e_shstrndx = 3;
  Elf64_Shdr sections[4] = {};
  const std::string *const bytes[] = {&info, &abbreviations, &names};
  const Elf64_Word name[] = {1, 13, 27};
  uint64_t offset = sizeof header + sizeof sections;
  for (unsigned i = 0; i < 3; ++i) {
    sections[i + 1].sh_name = name[i];
    sections[i + 1].sh_type = i == 2 ? SHT_STRTAB : SHT_PROGBITS;
    sections[i + 1].sh_offset = offset;
    sections[i + 1].sh_size = bytes[i]->size();
    sections[i + 1].sh_addralign = 1;
    offset += bytes[i]->size();
  }
  sections[1].sh_flags = flags;
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) +
         std::string(reinterpret_cast<const char *>(sections), sizeof sections) + info + abbreviations + names;
}

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

// DWARF 4: a unit and a function over all of RAM, and within it scopes within scopes: libdw looks into
// them by recursion.
TEST(deep_scopes) {
  const std::string range = raw(uint64_t{SCALAR_RAM_BASE}) + raw(uint64_t{SCALAR_RAM_BASE} + kRam);
  const std::string abbreviations("\x01\x11\x01\x11\x01\x12\x01\0\0\x02\x2e\x01\x11\x01\x12\x01\0\0\x03\x0b\x01\0\0\0",
                                  24);
  const std::string tree = "\x01" + range + "\x02" + range + std::string(4000000, '\x03');
  const std::string unit = raw(uint16_t{4}) + raw(uint32_t{0}) + "\x08" + tree;
  harmless(made_up(raw(static_cast<uint32_t>(unit.size())) + unit, abbreviations));
}

// A compressed section that says that it is of many GB.
TEST(large_sections) {
  const Elf64_Chdr header = {ELFCOMPRESS_ZLIB, 0, 1ull << 36, 1};
  harmless(made_up(raw(header) + std::string(100, 'x'), std::string(10, '\0'), SHF_COMPRESSED));
}

}  // namespace
