// Firmware on an RV64 instruction set simulator: Unicorn, with the registers as an MMIO region.
//
// Instructions are counted by basic block, at its start, so an access sees the whole block it
// stands in as retired.
// SPDX-License-Identifier: Apache-2.0
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "hal/registers.h"
#include "soc/cores/core_unit.h"
#include "soc/scalar/debug_info.h"
#include "soc/scalar/elf_image.h"
#include "soc/scalar/gdb_server.h"
#include "soc/scalar/scalar.h"

namespace soc {
namespace {

class scalar_riscv : public scalar, private gdb_server::target {
 public:
  scalar_riscv(core_unit &core, const std::string &firmware);
  ~scalar_riscv() override { uc_close(engine_); }

 private:
  void execute() override;
  command_t pushed(uint64_t value) override;
  std::vector<uint64_t> calls() override;
  uint64_t program_counter();
  void interrupt() override;
  void check(uc_err error, const char *what) const;
  void enter_block(uint64_t address, uint32_t bytes);
  // Lets time pass for what ran since the last access.
  void synchronise();

  bool is_word(const char *how, uint64_t offset, unsigned bytes);
  static bool on_load(uc_engine *, uc_mem_type, uint64_t address, int bytes, int64_t, void *self);
  static uint64_t on_read(uc_engine *, uint64_t offset, unsigned size, void *self);
  static void on_write(uc_engine *, uint64_t offset, unsigned size, uint64_t value, void *self);
  static void on_block(uc_engine *, uint64_t address, uint32_t size, void *self);
  static void on_instruction(uc_engine *, uint64_t address, uint32_t size, void *self);

  // For the debugger.
  uint64_t read_register(unsigned number) override;
  bool write_register(unsigned number, uint64_t value) override;
  bool read_memory(uint64_t address, uint8_t *bytes, size_t count) override;
  bool write_memory(uint64_t address, const uint8_t *bytes, size_t count) override;
  void standing() override { hand_over(); }
  bool abandoned() const override { return is_abandoned(); }
  std::string ask(const std::string &request) override { return question(request); }
  using scalar::read_register;
  using scalar::write_register;

  uc_engine *engine_ = nullptr;
  shared_firmware &shared_;
  const shared_firmware::private_ram ram_;
  const std::vector<global_memory::range> windows_;   // on global memory
  uint8_t window_[sizeof(command_t)] = {};   // fields of the command to be pushed
  uint64_t instructions_ = 0;           // since the last access
  bool halted_badly_ = false;
  gdb_server *debugger_;                // null: none
  std::optional<uint64_t> jump_;        // where the debugger wants the program to go on
};

scalar_riscv::scalar_riscv(core_unit &core, const std::string &firmware)
    : scalar(core, firmware),
      shared_(core.sim().firmware(firmware)),
      ram_(shared_.make_ram()),
      windows_(core.gm().windows()),
      debugger_(core.debugger()) {
  check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &engine_), "open");
  check(uc_mem_map_ptr(engine_, SCALAR_RAM_BASE, shared_.ram_bytes(), UC_PROT_ALL, ram_.get()), "map RAM");
  for (const global_memory::range &r : windows_) {
    check(uc_mem_map_ptr(engine_, GM_BASE + r.begin, r.end - r.begin, UC_PROT_READ, core.gm().base() + r.begin),
          "map the window on global memory");
  }
  check(uc_mmio_map(engine_, SCALAR_MMIO_BASE, SCALAR_MMIO_SIZE, on_read, this, on_write, this),
        "map registers");
  uc_hook hook;
  // Readable only by way of on_load.
  check(uc_mem_protect(engine_, SCALAR_MMIO_BASE, SCALAR_MMIO_SIZE, UC_PROT_WRITE), "protect registers");
  check(uc_hook_add(engine_, &hook, UC_HOOK_MEM_READ_PROT, reinterpret_cast<void *>(on_load), this,
                    SCALAR_MMIO_BASE, SCALAR_MMIO_BASE + SCALAR_MMIO_SIZE - 1),
        "look at loads of registers");
  check(uc_hook_add(engine_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void *>(on_block), this, 1, 0),
        "count instructions");
  if (debugger_ != nullptr) {
    check(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void *>(on_instruction), this, 1,
                      0),
          "stop at instructions");
  }
}

void scalar_riscv::check(uc_err error, const char *what) const {
  if (error != UC_ERR_OK) {
    throw std::runtime_error(std::string("scalar core: cannot ") + what + ": " +
                             uc_strerror(error));
  }
}

void scalar_riscv::execute() {
  instructions_ = 0;
  halted_badly_ = false;
  std::memset(window_, 0, sizeof window_);
  if (debugger_ != nullptr) {
    const uint64_t entry = shared_.entry();
    uc_reg_write(engine_, UC_RISCV_REG_PC, &entry);
    debugger_->begin(*this, firmware_);
  }
  uc_err error;
  uint64_t pc = jump_.value_or(shared_.entry());
  do {
    jump_.reset();
    error = uc_emu_start(engine_, pc, ~0ull, 0, 0);
    pc = jump_.value_or(pc);
  } while (jump_ && !ended());
  const bool fault = !ended();
  if (fault && debugger_ != nullptr) {
    debugger_->stop(gdb_server::SIGNAL_SEGV);
  }
  if (fault) {
    end(error == UC_ERR_OK ? "firmware waits for an interrupt (wfi), and there is none"
                           : std::string("firmware fault: ") + uc_strerror(error));
  }
  if (debugger_ != nullptr) {
    debugger_->exited(fault ? gdb_server::SIGNAL_SEGV : halted_badly_ ? gdb_server::SIGNAL_ABORT : 0);
  }
}

// --- where it is -------------------------------------------------------------------------------

void scalar_riscv::on_instruction(uc_engine *, uint64_t address, uint32_t, void *self) {
  static_cast<scalar_riscv *>(self)->debugger_->before(address);
}

uint64_t scalar_riscv::read_register(unsigned number) {
  uint64_t value = 0;
  const unsigned reg = number == gdb_server::kPc ? unsigned{UC_RISCV_REG_PC} : UC_RISCV_REG_X0 + number;
  uc_reg_read(engine_, static_cast<int>(reg), &value);
  return value;
}

bool scalar_riscv::write_register(unsigned number, uint64_t value) {
  if (number == gdb_server::kPc) {   // it goes on there, instead of with the instruction that it stands before
    jump_ = value;
    uc_emu_stop(engine_);
    return true;
  }
  return number < gdb_server::kPc &&
         uc_reg_write(engine_, static_cast<int>(UC_RISCV_REG_X0 + number), &value) == UC_ERR_OK;
}

// Registers of the core are not memory: reading them is an access.
bool scalar_riscv::read_memory(uint64_t address, uint8_t *bytes, size_t count) {
  const auto within = [=](uint64_t base, uint64_t size) {
    return address >= base && address - base < size && count <= size - (address - base);
  };
  const bool windowed = std::any_of(windows_.begin(), windows_.end(), [&](const global_memory::range &r) {
    return within(GM_BASE + r.begin, r.end - r.begin);
  });
  return (within(SCALAR_RAM_BASE, shared_.ram_bytes()) || windowed) &&
         uc_mem_read(engine_, address, bytes, count) == UC_ERR_OK;
}

bool scalar_riscv::write_memory(uint64_t address, const uint8_t *bytes, size_t count) {
  return address >= SCALAR_RAM_BASE && address - SCALAR_RAM_BASE < shared_.ram_bytes() &&
         count <= shared_.ram_bytes() - (address - SCALAR_RAM_BASE) &&
         uc_mem_write(engine_, address, bytes, count) == UC_ERR_OK;
}

std::vector<uint64_t> scalar_riscv::calls() {
  uint64_t registers[debug_info::kRegisters];
  for (unsigned i = 0; i < debug_info::kRegisters; ++i) {
    registers[i] = read_register(i);
  }
  return debug_info(firmware_).calls(program_counter(), registers, [this](uint64_t address, uint64_t &word) {
    uint8_t bytes[8];
    const bool good = read_memory(address, bytes, sizeof bytes);
    std::memcpy(&word, bytes, sizeof word);
    return good;
  });
}

uint64_t scalar_riscv::program_counter() {
  uint64_t pc = 0;
  uc_reg_read(engine_, UC_RISCV_REG_PC, &pc);
  return pc;
}

void scalar_riscv::interrupt() { uc_emu_stop(engine_); }

// The command in the window; its header comes with the push.
command_t scalar_riscv::pushed(uint64_t value) {
  command_t command;
  std::memcpy(static_cast<void *>(&command), window_, sizeof command);
  std::memset(window_, 0, sizeof window_);
  command.header.opcode_ = value & 31;
  command.header.pipe_ = value >> 5 & 15;
  command.header.pc_ = SCALAR_RAM_BASE | (value >> 9 & 0x7FFFFF) << 1;
  return command;
}

void scalar_riscv::synchronise() {
  const uint64_t instructions = instructions_;
  instructions_ = 0;
  spend(instructions);
}

bool scalar_riscv::is_word(const char *how, uint64_t offset, unsigned bytes) {
  if (offset % bytes == 0 && bytes >= 4) {
    return true;
  }
  end(std::string("firmware ") + how + " " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
      " at register offset " + std::to_string(offset) + ": expected 4 or 8 aligned bytes");
  uc_emu_stop(engine_);
  return false;
}

// A load of a register, as the program has it; on_read sees the aligned words that it is made of.
bool scalar_riscv::on_load(uc_engine *, uc_mem_type, uint64_t address, int bytes, int64_t, void *self) {
  static_cast<scalar_riscv *>(self)->is_word("reads", address - SCALAR_MMIO_BASE, static_cast<unsigned>(bytes));
  return true;
}

// The bus is 32 bits wide: 64 bits come as two accesses, low half first.
uint64_t scalar_riscv::on_read(uc_engine *engine, uint64_t offset, unsigned, void *self) {
  auto *core = static_cast<scalar_riscv *>(self);
  if (core->ended()) {
    return 0;   // refused
  }
  core->synchronise();
  uint64_t value = core->read_register(offset & ~uint64_t{7});
  value = (offset & 4) != 0 ? value >> 32 : value & 0xFFFFFFFFu;
  if (core->ended()) {
    uc_emu_stop(engine);
  }
  return value;
}

void scalar_riscv::on_write(uc_engine *engine, uint64_t offset, unsigned bytes, uint64_t value,
                            void *self) {
  auto *core = static_cast<scalar_riscv *>(self);
  if (!core->is_word("writes", offset, bytes)) {
    return;
  }
  if (offset >= REG_WINDOW && offset - REG_WINDOW <= sizeof core->window_ - 4) {
    const auto word = static_cast<uint32_t>(value);
    std::memcpy(core->window_ + (offset - REG_WINDOW), &word, sizeof word);
    return;   // a store like others: only registers cost an access
  }
  if (offset == REG_HALT && value != 0) {
    core->halted_badly_ = true;
    if (core->debugger_ != nullptr) {
      core->debugger_->stop(gdb_server::SIGNAL_ABORT);
    }
  }
  core->synchronise();
  if (!core->ended()) {
    core->write_register(offset, value);
  }
  if (core->ended()) {
    uc_emu_stop(engine);
  }
}

void scalar_riscv::on_block(uc_engine *, uint64_t address, uint32_t size, void *self) {
  static_cast<scalar_riscv *>(self)->enter_block(address, size);
}

void scalar_riscv::enter_block(uint64_t address, uint32_t bytes) {
  instructions_ += shared_.instructions(ram_.get(), address - SCALAR_RAM_BASE, bytes);
  if (is_too_long(instructions_)) {
    end_too_long();
    uc_emu_stop(engine_);
  }
}

}  // namespace

std::unique_ptr<scalar> make_scalar_riscv(core_unit &core, const std::string &firmware) {
  return std::make_unique<scalar_riscv>(core, firmware);
}

}  // namespace soc
