// A firmware file's debug information about an address: the source lines it stands for, and the
// calls that led there.
//
// libdw reads it, and libdw trusts what it reads. So it does so in a process of its own, begun with the
// first question, with a limit on its time and memory. If that process ends, the file knows nothing more.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_DEBUG_INFO_H
#define AMALGAM_SOC_SCALAR_DEBUG_INFO_H

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace soc {

class debug_info {
 public:
  static constexpr unsigned kRegisters = 32;  // x0 .. x31
  // Eight bytes of the program's memory; false: there are none.
  using read_word = std::function<bool(uint64_t address, uint64_t &word)>;

  // A file that cannot be read, or has no debug information, knows nothing.
  explicit debug_info(std::string file) : file_(std::move(file)) {}
  ~debug_info();
  debug_info(const debug_info &) = delete;
  debug_info &operator=(const debug_info &) = delete;

  // "attention_cube.c:53 (load_right)" for the function that an address of the file is in, then for each
  // function that this one was inlined into, with the line of the call. Nothing if the file does not know.
  std::vector<std::string> frames(uint64_t address);

  // Texts of lines that panic (sw/lib/panic.h): "attention_cube.c:53 PANIC_MACHINE require(n > 0)".
  std::vector<std::string> panic_texts();

  // RV64 firmware: pc, then an address within each call instruction, innermost first.
  std::vector<uint64_t> calls(uint64_t pc, const uint64_t registers[kRegisters], const read_word &read);

 private:
  struct question;
  [[noreturn]] void answer_all(int socket) const;
  bool begin();
  std::vector<std::string> ask_lines(const question &what);
  // The last part of the answer; "": there is none.
  std::string ask(const question &what, const read_word &read);
  bool ask_once(const question &what, const read_word &read, std::string &answer);
  void end();

  const std::string file_;
  pid_t reader_ = 0;  // 0: not begun; -1: it has ended
  int socket_ = -1;
};

}  // namespace soc

#endif
