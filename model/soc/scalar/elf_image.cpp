// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/elf_image.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "hal/registers.h"

namespace soc {
namespace {

constexpr unsigned kMostSegments = 64;

struct open_file {
  int number = -1;
  uint64_t bytes = 0;
  ~open_file() {
    if (number >= 0) {
      close(number);
    }
  }
};

struct end_elf {
  void operator()(Elf *elf) const { elf_end(elf); }
};
using elf_file = std::unique_ptr<Elf, end_elf>;

struct range {
  uint64_t begin, end;
};

class loader {
 public:
  loader(const std::string &path, uint64_t ram_bytes);
  elf_image load();

 private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw std::runtime_error("firmware: " + path_ + ": " + what);
  }
  void check_header() const;
  void take(const GElf_Phdr &segment);
  void find_code();

  const std::string &path_;
  open_file file_;
  elf_file elf_;
  GElf_Ehdr header_ = {};
  elf_image image_;
  std::vector<range> loaded_, executed_, written_;
  bool holds_entry_ = false;
};

// Without waiting, should it be a pipe.
loader::loader(const std::string &path, uint64_t ram_bytes) : path_(path), image_{0, {}, 0, 0} {
  struct stat status;
  file_.number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_.number < 0 || fstat(file_.number, &status) != 0) {
    refuse(std::string("cannot be read: ") + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    refuse("expected a regular file");
  }
  file_.bytes = static_cast<uint64_t>(status.st_size);
  elf_version(EV_CURRENT);
  elf_.reset(elf_begin(file_.number, ELF_C_READ, nullptr));
  if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF) {
    refuse("not an ELF file");
  }
  if (gelf_getehdr(elf_.get(), &header_) == nullptr) {
    refuse("its ELF header is broken or cut");
  }
  image_.ram.resize(ram_bytes);
}

void loader::check_header() const {
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
      header_.e_machine != EM_RISCV) {
    refuse("not for the scalar core; expected an ELF file for RV64, 64 bits and little endian");
  }
  if (header_.e_type != ET_EXEC) {
    refuse("not linked as an executable; expected an ELF file of type EXEC");
  }
  if (header_.e_phentsize != gelf_fsize(elf_.get(), ELF_T_PHDR, 1, EV_CURRENT)) {
    refuse("program headers of " + std::to_string(header_.e_phentsize) + " bytes; expected 56");
  }
}

void loader::take(const GElf_Phdr &segment) {
  if (segment.p_type == PT_INTERP || segment.p_type == PT_DYNAMIC) {
    refuse("dynamically linked; expected a static executable");
  }
  if (segment.p_type != PT_LOAD || segment.p_memsz == 0) {
    return;
  }
  const uint64_t ram = image_.ram.size(), begin = segment.p_paddr - SCALAR_RAM_BASE;
  if (segment.p_paddr < SCALAR_RAM_BASE || segment.p_memsz > ram || begin > ram - segment.p_memsz) {
    refuse("does not fit in the scalar core's RAM of " + std::to_string(ram / 1024) + " KiB");
  }
  if (segment.p_filesz > segment.p_memsz) {
    refuse("a segment has more bytes in the file than in memory");
  }
  const range place = {begin, begin + segment.p_memsz};
  if (std::any_of(loaded_.begin(), loaded_.end(),
                  [&place](const range &other) { return place.begin < other.end && other.begin < place.end; })) {
    refuse("two segments overlap");
  }
  loaded_.push_back(place);
  if ((segment.p_flags & PF_X) != 0) {
    executed_.push_back(place);
  }
  if ((segment.p_flags & PF_W) != 0) {
    written_.push_back(place);
  }
  if (segment.p_offset > file_.bytes || segment.p_filesz > file_.bytes - segment.p_offset ||
      pread(file_.number, image_.ram.data() + begin, segment.p_filesz, static_cast<off_t>(segment.p_offset)) !=
          static_cast<ssize_t>(segment.p_filesz)) {
    refuse("truncated: a segment is not in the file");
  }
  holds_entry_ = holds_entry_ || (header_.e_entry >= segment.p_paddr && header_.e_entry % 2 == 0 &&
                                  header_.e_entry - segment.p_paddr < segment.p_filesz);
}

void loader::find_code() {
  const uint64_t inside = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) - 1, entry = header_.e_entry - SCALAR_RAM_BASE;
  if (executed_.size() != 1) {
    return;
  }
  const range code = {executed_[0].begin & ~inside, (executed_[0].end + inside) & ~inside};
  const bool written =
      std::any_of(written_.begin(), written_.end(), [&code](const range &other) { return other.end > code.begin; });
  if (!written && code.end <= image_.ram.size() && entry >= code.begin && entry < code.end) {
    image_.code_begin = code.begin;
    image_.code_end = code.end;
  }
}

elf_image loader::load() {
  check_header();
  if (header_.e_phnum > kMostSegments) {
    refuse(std::to_string(header_.e_phnum) + " program headers; expected at most " + std::to_string(kMostSegments));
  }
  for (int i = 0; i < header_.e_phnum; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), i, &segment) == nullptr) {
      refuse("truncated: its program headers are not in the file");
    }
    take(segment);
  }
  if (loaded_.empty()) {
    refuse("nothing to load; expected a segment of type LOAD");
  }
  if (!holds_entry_) {
    refuse("its entry point is not in a segment of the file");
  }
  image_.entry = header_.e_entry;
  find_code();
  return std::move(image_);
}

}  // namespace

elf_image load_elf(const std::string &path, uint64_t ram_bytes) { return loader(path, ram_bytes).load(); }

static uint64_t bytes_until_zeros(const std::vector<uint8_t> &ram) {
  const auto last = std::find_if(ram.rbegin(), ram.rend(), [](uint8_t byte) { return byte != 0; });
  return static_cast<uint64_t>(ram.rend() - last);
}

shared_firmware::shared_firmware(const std::string &path, uint64_t ram_bytes)
    : image_(load_elf(path, ram_bytes)), loaded_(bytes_until_zeros(image_.ram)), blocks_(loaded_ / 2 + 1) {}

shared_firmware::private_ram shared_firmware::make_ram() const {
  void *ram = mmap(nullptr, ram_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ram == MAP_FAILED) {
    throw std::bad_alloc();
  }
  std::memcpy(ram, image_.ram.data(), loaded_);
  return private_ram(static_cast<uint8_t *>(ram), release{ram_bytes()});
}

// An instruction is 4 bytes long if its two lowest bits are set, else 2.
uint32_t shared_firmware::count_instructions(const uint8_t *ram, uint64_t begin, uint32_t bytes) const {
  uint32_t count = 0;
  for (uint64_t at = begin; at < begin + bytes && at < image_.ram.size(); ++count) {
    at += (ram[at] & 3) == 3 ? 4 : 2;
  }
  return count;
}

uint32_t shared_firmware::remember(std::atomic<uint32_t> &known, uint64_t begin, uint32_t bytes) const {
  const uint32_t instructions = count_instructions(image_.ram.data(), begin, bytes);
  if (bytes <= 0xFFFF) {
    known.store(bytes << 16 | instructions, std::memory_order_relaxed);
  }
  return instructions;
}

}  // namespace soc
