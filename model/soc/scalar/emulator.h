// An RV64 instruction set simulator, Unicorn, with the registers of a scalar core as an MMIO region, and the window as
// memory.
//
// Cores that run the same program share emulators, and so what these have translated: a core takes one for a stretch,
// puts its registers and what it has written into it, and takes them out again.  Code cannot be written there, nor
// executed elsewhere.  A core has an emulator to itself if the file says that its code can be written, if a debugger
// may write to it, and once it uses RAM behind its code.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_EMULATOR_H
#define AMALGAM_SOC_SCALAR_EMULATOR_H

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "soc/memory/gm.h"
#include "soc/scalar/elf_image.h"
#include "soc/scalar/unicorn_library.h"

namespace soc {

// Unicorn with RAM, registers and the windows on global memory, for one core at a time.
class emulator {
 public:
  // The core that it serves: what it does there.
  class user {
   public:
    virtual ~user() = default;
    // An access of so many bytes at an offset into the registers is one that they take; if not, the program ends.
    virtual bool is_word(const char *how, uint64_t offset, unsigned bytes) = 0;
    virtual uint64_t load(uint64_t offset) = 0;
    virtual void store(uint64_t offset, unsigned bytes, uint64_t value) = 0;
    virtual void enter_block(uint64_t address, uint32_t bytes) = 0;
    virtual void enter_instruction(uint64_t address) = 0;
  };

  emulator(const shared_firmware &program, global_memory &gm, bool fixed_code, bool debugged);
  ~emulator();
  static uint64_t addresses();  // that one takes
  static bool fits();           // there are so many
  emulator(const emulator &) = delete;
  emulator &operator=(const emulator &) = delete;

  uc_engine *engine() const { return engine_; }
  const uint8_t *ram() const { return ram_.get(); }
  // The command to be pushed. Firmware writes it as it does RAM: only registers cost an access.
  const uint8_t *window() const { return window_; }
  void clear_window() { std::fill_n(window_, sizeof(command_t), uint8_t{0}); }
  // A core's state in an emulator: registers, the command that it is writing, and RAM below the code.
  struct state {
    uc_context *registers = nullptr;
    std::array<uint8_t, sizeof(command_t)> window{};
    std::vector<uint8_t> ram;
    ~state();
  };
  // The core's from here on; without a state it is as after a reset.
  void serve(user &core, const state &of_core);
  void save(state &of_core) const;
  // Until the core it serves stops it, or a fault.
  uc_err run(uint64_t pc);
  // The core uses RAM of which its program's file does not tell: others have none there.
  bool is_whole() const { return whole_; }

 private:
  static constexpr size_t kPage = 4096;  // Unicorn's
  void map_ram(uint64_t begin, uint64_t end, uint32_t rights);
  void add_ram(bool fixed_code);
  void add_registers();
  void hook(int type, void *call, uint64_t begin, uint64_t end, const char *what);
  static bool on_unmapped(uc_engine *, uc_mem_type, uint64_t address, int bytes, int64_t, void *self);
  static bool on_load(uc_engine *, uc_mem_type, uint64_t address, int bytes, int64_t, void *self);
  static uint64_t on_read(uc_engine *, uint64_t offset, unsigned size, void *self);
  static void on_write(uc_engine *, uint64_t offset, unsigned size, uint64_t value, void *self);
  static void on_block(uc_engine *, uint64_t address, uint32_t size, void *self);
  static void on_instruction(uc_engine *, uint64_t address, uint32_t size, void *self);

  uc_engine *engine_ = nullptr;
  const shared_firmware &program_;
  const shared_firmware::private_ram ram_;
  alignas(kPage) uint8_t window_[kPage] = {};
  bool whole_ = true;  // all of the RAM is there
  std::vector<unicorn_pages> plain_;
  state reset_;
  user *core_ = nullptr;  // that it serves
};

// Emulators of a machine, by program.  Where addresses are limited there are fewer than threads that want one, and
// these wait for each other: for one that runs, as its stretch ends, but not for one that stays with a core.
class emulators {
 public:
  // One that serves no core now, or a new one.
  std::unique_ptr<emulator> take(const shared_firmware &program, global_memory &gm);
  void give(const shared_firmware &program, std::unique_ptr<emulator> unused);
  // One that was taken and not given back runs no more, or again: its core waits for memory, or has it to itself.
  void rest();
  void resume();

 private:
  bool drop_unused();

  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned running_ = 0;
  std::map<const shared_firmware *, std::vector<std::unique_ptr<emulator>>> unused_;
};

}  // namespace soc

#endif
