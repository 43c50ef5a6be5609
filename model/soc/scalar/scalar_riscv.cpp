// Firmware on an RV64 instruction set simulator: Unicorn, with the registers as an MMIO region.
//
// It takes an emulator for a stretch, or has one to itself (emulator.h).
//
// Instructions are counted by basic block, at its start, so an access sees the whole block it
// stands in as retired.
// SPDX-License-Identifier: Apache-2.0
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>

#include "hal/registers.h"
#include "soc/cores/simulation.h"
#include "soc/memory/gm.h"
#include "soc/scalar/debug_info.h"
#include "soc/scalar/elf_image.h"
#include "soc/scalar/emulator.h"
#include "soc/scalar/gdb_server.h"
#include "soc/scalar/scalar.h"

namespace soc {
namespace {

class scalar_riscv : public scalar, private emulator::user, private gdb_server::target {
 public:
  scalar_riscv(const scalar_services &services, const std::string &firmware, shared_firmware &shared);

 private:
  // --- what its emulator meets ---
  bool is_word(const char *how, uint64_t offset, unsigned bytes) override;
  uint64_t load(uint64_t offset) override;
  void store(uint64_t offset, unsigned bytes, uint64_t value) override;
  void enter_block(uint64_t address, uint32_t bytes) override;
  void enter_instruction(uint64_t address) override { debugger_->before(address); }

  void begin() override;
  bool execute() override;
  void run_engine();
  void run_debugged();
  void take_emulator();
  void give_emulator();
  command_t pushed(uint64_t value) override;
  std::vector<uint64_t> calls() override;
  uint64_t program_counter();
  // Lets time pass for what ran since the last access.
  void synchronise();
  uc_engine *engine() const { return emulator_->engine(); }

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

  shared_firmware &shared_;
  const std::vector<global_memory::range> windows_;  // on global memory
  std::unique_ptr<emulator> emulator_;               // null: it serves others now
  emulator::state state_;                            // meanwhile
  uint64_t pc_ = 0;                                  // where it goes on
  uint64_t block_ = 0, block_end_ = 0;               // the basic block that runs
  bool runs_ = false;                                // it does
  uint64_t instructions_ = 0;                        // since the last access
  bool halted_badly_ = false, faulted_ = false;
  gdb_server *debugger_;          // null: none
  std::optional<uint64_t> jump_;  // where the debugger wants the program to go on
};

// --- a core ------------------------------------------------------------------------------------

scalar_riscv::scalar_riscv(const scalar_services &services, const std::string &firmware, shared_firmware &shared)
    : scalar(services, firmware, shared.fixed_code() && services.debugger == nullptr),
      shared_(shared),
      windows_(services.gm.windows()),
      debugger_(services.debugger) {
  if (shared.fixed_code() && debugger_ == nullptr) {  // what stops one from being made is told before anything runs
    sim_.emulators->give(shared, sim_.emulators->take(shared, services.gm));
  } else {
    emulator_ = std::make_unique<emulator>(shared, services.gm, false, debugger_ != nullptr);
    emulator_->serve(*this, state_);
  }
}

void scalar_riscv::begin() {
  instructions_ = 0;
  halted_badly_ = faulted_ = false;
  state_.window.fill(0);
  if (emulator_) {
    emulator_->clear_window();
  }
  pc_ = shared_.entry();
}

void scalar_riscv::take_emulator() {
  if (!emulator_) {
    emulator_ = sim_.emulators->take(shared_, core_.gm);
    emulator_->serve(*this, state_);
  } else if (pauses()) {
    sim_.emulators->resume();
  }
}

void scalar_riscv::give_emulator() {
  if (!emulator_->is_whole()) {
    emulator_->save(state_);
    sim_.emulators->give(shared_, std::move(emulator_));
  } else if (pauses()) {
    sim_.emulators->rest();
  }
}

bool scalar_riscv::execute() {
  try {
    take_emulator();
    debugger_ == nullptr ? run_engine() : run_debugged();
    const bool over = ended();
    pc_ = program_counter();
    give_emulator();
    return over;
  } catch (const std::exception &error) {  // of an emulator
    if (emulator_ && pauses()) {
      sim_.emulators->rest();
    }
    end(error.what(), SOC_BAD_INPUT);
    return true;
  }
}

void scalar_riscv::run_engine() {
  uc_err error;
  do {
    pc_ = jump_.value_or(pc_);
    jump_.reset();
    runs_ = true;
    error = emulator_->run(pc_);
    runs_ = false;
  } while (jump_ && !ended());
  if (!ended() && !is_to_stop()) {
    if (debugger_ != nullptr) {
      debugger_->stop(gdb_server::SIGNAL_SEGV);
    }
    end(error == UC_ERR_OK ? "firmware waits for an interrupt (wfi), and there is none"
                           : std::string("firmware fault: ") + unicorn().uc_strerror(error));
    faulted_ = true;
  }
}

void scalar_riscv::run_debugged() {
  unicorn().uc_reg_write(engine(), UC_RISCV_REG_PC, &pc_);
  debugger_->begin(*this, firmware_);
  run_engine();
  debugger_->exited(faulted_ ? gdb_server::SIGNAL_SEGV : halted_badly_ ? gdb_server::SIGNAL_ABORT : 0);
}

// --- where it is -------------------------------------------------------------------------------

uint64_t scalar_riscv::read_register(unsigned number) {
  uint64_t value = 0;
  const unsigned reg = number == gdb_server::kPc ? unsigned{UC_RISCV_REG_PC} : UC_RISCV_REG_X0 + number;
  unicorn().uc_reg_read(engine(), static_cast<int>(reg), &value);
  return value;
}

bool scalar_riscv::write_register(unsigned number, uint64_t value) {
  if (number == gdb_server::kPc) {  // it goes on there, instead of with the instruction that it stands before
    jump_ = value;
    unicorn().uc_emu_stop(engine());
    return true;
  }
  return number < gdb_server::kPc &&
         unicorn().uc_reg_write(engine(), static_cast<int>(UC_RISCV_REG_X0 + number), &value) == UC_ERR_OK;
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
         unicorn().uc_mem_read(engine(), address, bytes, count) == UC_ERR_OK;
}

bool scalar_riscv::write_memory(uint64_t address, const uint8_t *bytes, size_t count) {
  return address >= SCALAR_RAM_BASE && address - SCALAR_RAM_BASE < shared_.ram_bytes() &&
         count <= shared_.ram_bytes() - (address - SCALAR_RAM_BASE) &&
         unicorn().uc_mem_write(engine(), address, bytes, count) == UC_ERR_OK;
}

std::vector<uint64_t> scalar_riscv::calls() {
  if (!emulator_) {
    return {};
  }
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

// Within an access Unicorn's may still be that of an earlier block: one jumps to the next without telling.
uint64_t scalar_riscv::program_counter() {
  uint64_t pc = 0;
  unicorn().uc_reg_read(engine(), UC_RISCV_REG_PC, &pc);
  return runs_ && (pc < block_ || pc >= block_end_) ? block_ : pc;
}

// The command in the window; its header comes with the push.
command_t scalar_riscv::pushed(uint64_t value) {
  command_t command;
  std::memcpy(static_cast<void *>(&command), emulator_->window(), sizeof command);
  emulator_->clear_window();
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
  unicorn().uc_emu_stop(engine());
  return false;
}

// The bus is 32 bits wide: 64 bits come as two accesses, low half first.
uint64_t scalar_riscv::load(uint64_t offset) {
  if (ended()) {
    return 0;  // refused
  }
  synchronise();
  uint64_t value = read_register(offset & ~uint64_t{7});
  value = (offset & 4) != 0 ? value >> 32 : value & 0xFFFFFFFFu;
  if (ended()) {
    unicorn().uc_emu_stop(engine());
  }
  return value;
}

void scalar_riscv::store(uint64_t offset, unsigned bytes, uint64_t value) {
  if (!is_word("writes", offset, bytes)) {
    return;
  }
  if (offset == REG_HALT && value != 0) {
    halted_badly_ = true;
    if (debugger_ != nullptr) {
      debugger_->stop(gdb_server::SIGNAL_ABORT);
    }
  }
  synchronise();
  if (!ended()) {
    write_register(offset, value);
  }
  if (ended()) {
    unicorn().uc_emu_stop(engine());
  }
}

// Unicorn stops exactly only here: before the block, with its address as the program counter.
void scalar_riscv::enter_block(uint64_t address, uint32_t bytes) {
  if (is_to_stop()) {
    unicorn().uc_emu_stop(engine());
    return;
  }
  block_ = address;
  block_end_ = address + bytes;
  instructions_ += shared_.instructions(emulator_->ram(), address - SCALAR_RAM_BASE, bytes);
  if (is_too_long(instructions_)) {
    end_too_long();
    unicorn().uc_emu_stop(engine());
  }
}

}  // namespace

std::unique_ptr<scalar> make_scalar_riscv(const scalar_services &services, const std::string &firmware) {
  return std::make_unique<scalar_riscv>(services, firmware, services.sim.firmware(firmware));
}

}  // namespace soc
