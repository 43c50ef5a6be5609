// See emulator.h.
// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/emulator.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

#include "hal/registers.h"
#include "host/limits.h"

namespace soc {
namespace {

void check(uc_err error, const char *what) {
  if (error != UC_ERR_OK) {
    throw std::runtime_error(std::string("scalar core: cannot ") + what + ": " + unicorn().uc_strerror(error));
  }
}

// Unicorn takes these addresses for the code that it translates, some more for the rest, and ends the process if it
// does not get them. So they are asked for before, by one emulator at a time.
constexpr uint64_t kTakes = (uint64_t{1} << 30) + (uint64_t{1} << 26);
std::mutex opening;

void check_addresses() {
  if (!emulator::fits()) {
    const uint64_t limit = host_addresses();
    throw std::runtime_error(
        "scalar core: no address space for an emulator, which takes " + std::to_string(kTakes >> 20) + " MiB" +
        (limit == UINT64_MAX ? ""
                             : "; " + std::to_string(host_addresses_left() >> 20) + " are left of the " +
                                   std::to_string(limit >> 20) + " that this process may have (ulimit -v)"));
  }
}

}  // namespace

uint64_t emulator::addresses() { return kTakes; }

bool emulator::fits() {
  void *map = mmap(nullptr, kTakes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return map != MAP_FAILED && munmap(map, kTakes) == 0;
}

emulator::emulator(const shared_firmware &program, global_memory &gm, bool fixed_code, bool debugged)
    : program_(program), ram_(program.make_ram()) {
  const std::lock_guard<std::mutex> lock(opening);
  check_addresses();
  check(unicorn().uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &engine_), "open");
  add_ram(fixed_code);
  for (const global_memory::range &r : gm.windows()) {
    check(unicorn().uc_mem_map_ptr(engine_, GM_BASE + r.begin, r.end - r.begin, UC_PROT_READ, gm.base() + r.begin),
          "map the window on global memory");
  }
  add_registers();
  hook(UC_HOOK_BLOCK, reinterpret_cast<void *>(on_block), 1, 0, "count instructions");
  if (debugged) {
    hook(UC_HOOK_CODE, reinterpret_cast<void *>(on_instruction), 1, 0, "stop at instructions");
  }
  save(reset_);
}

emulator::state::~state() {
  if (registers != nullptr) {
    unicorn().uc_context_free(registers);
  }
}

emulator::~emulator() { unicorn().uc_close(engine_); }

void emulator::map_ram(uint64_t begin, uint64_t end, uint32_t rights) {
  if (begin < end) {
    check(unicorn().uc_mem_map_ptr(engine_, SCALAR_RAM_BASE + begin, end - begin, rights, ram_.get() + begin),
          "map RAM");
  }
}

// Translated code serves all cores only if none of them can have other code.
void emulator::add_ram(bool fixed_code) {
  if (!fixed_code) {
    return map_ram(0, program_.ram_bytes(), UC_PROT_ALL);
  }
  whole_ = false;
  map_ram(0, program_.code_begin(), UC_PROT_READ | UC_PROT_WRITE);
  plain_.push_back({SCALAR_RAM_BASE, SCALAR_RAM_BASE + program_.code_begin()});
  map_ram(program_.code_begin(), program_.code_end(), UC_PROT_READ | UC_PROT_EXEC);
  hook(UC_HOOK_MEM_UNMAPPED, reinterpret_cast<void *>(on_unmapped), SCALAR_RAM_BASE + program_.code_end(),
       SCALAR_RAM_BASE + program_.ram_bytes() - 1, "look at RAM behind the code");
}

// RAM behind the code is there once a core uses it, which then keeps the emulator.
bool emulator::on_unmapped(uc_engine *, uc_mem_type, uint64_t address, int, int64_t, void *self) {
  auto *it = static_cast<emulator *>(self);
  const uint64_t offset = address - SCALAR_RAM_BASE;
  if (it->whole_ || offset < it->program_.code_end() || offset >= it->program_.ram_bytes()) {
    return false;
  }
  it->map_ram(it->program_.code_end(), it->program_.ram_bytes(), UC_PROT_ALL);
  it->whole_ = true;
  return true;
}

// Readable only by way of on_load.
void emulator::add_registers() {
  check(unicorn().uc_mmio_map(engine_, SCALAR_MMIO_BASE, SCALAR_MMIO_SIZE, on_read, this, on_write, this),
        "map registers");
  check(unicorn().uc_mem_protect(engine_, SCALAR_MMIO_BASE, SCALAR_MMIO_SIZE, UC_PROT_WRITE), "protect registers");
  constexpr uint64_t kWindow = SCALAR_MMIO_BASE + REG_WINDOW;
  check(unicorn().uc_mem_map_ptr(engine_, kWindow, sizeof window_, UC_PROT_READ | UC_PROT_WRITE, window_),
        "map the window");
  plain_.push_back({kWindow, kWindow + sizeof window_});
  hook(UC_HOOK_MEM_READ_PROT, reinterpret_cast<void *>(on_load), SCALAR_MMIO_BASE,
       SCALAR_MMIO_BASE + SCALAR_MMIO_SIZE - 1, "look at loads of registers");
}

void emulator::hook(int type, void *call, uint64_t begin, uint64_t end, const char *what) {
  uc_hook hook;
  check(unicorn().uc_hook_add(engine_, &hook, type, call, this, begin, end), what);
}

void emulator::save(state &of_core) const {
  if (of_core.registers == nullptr) {
    check(unicorn().uc_context_alloc(engine_, &of_core.registers), "keep registers");
  }
  check(unicorn().uc_context_save(engine_, of_core.registers), "save registers");
  std::copy_n(window_, of_core.window.size(), of_core.window.begin());
  of_core.ram.assign(ram_.get(), ram_.get() + program_.code_begin());
}

void emulator::serve(user &core, const state &of_core) {
  core_ = &core;
  const state &from = of_core.registers == nullptr ? reset_ : of_core;
  check(unicorn().uc_context_restore(engine_, from.registers), "restore registers");
  std::copy(from.window.begin(), from.window.end(), window_);
  std::copy(from.ram.begin(), from.ram.end(), ram_.get());
}

uc_err emulator::run(uint64_t pc) {
  unicorn_plain_pages(plain_.data(), plain_.size());
  const uc_err error = unicorn().uc_emu_start(engine_, pc, ~0ull, 0, 0);
  unicorn_plain_pages(nullptr, 0);
  return error;
}

bool emulator::on_load(uc_engine *, uc_mem_type, uint64_t address, int bytes, int64_t, void *self) {
  static_cast<emulator *>(self)->core_->is_word("reads", address - SCALAR_MMIO_BASE, static_cast<unsigned>(bytes));
  return true;
}

uint64_t emulator::on_read(uc_engine *, uint64_t offset, unsigned, void *self) {
  return static_cast<emulator *>(self)->core_->load(offset);
}

void emulator::on_write(uc_engine *, uint64_t offset, unsigned bytes, uint64_t value, void *self) {
  static_cast<emulator *>(self)->core_->store(offset, bytes, value);
}

void emulator::on_block(uc_engine *, uint64_t address, uint32_t size, void *self) {
  static_cast<emulator *>(self)->core_->enter_block(address, size);
}

void emulator::on_instruction(uc_engine *, uint64_t address, uint32_t, void *self) {
  static_cast<emulator *>(self)->core_->enter_instruction(address);
}

std::unique_ptr<emulator> emulators::take(const shared_firmware &program, global_memory &gm) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto &unused = unused_[&program];
  while (unused.empty() && !emulator::fits() && (running_ > 0 || drop_unused())) {
    if (running_ > 0) {
      changed_.wait(lock);
    }
  }
  if (unused.empty()) {
    unused.push_back(std::make_unique<emulator>(program, gm, true, false));
  }
  std::unique_ptr<emulator> last = std::move(unused.back());
  unused.pop_back();
  ++running_;
  return last;
}

// Another program's, which is in the way.
bool emulators::drop_unused() {
  for (auto &[program, unused] : unused_) {
    if (!unused.empty()) {
      unused.pop_back();
      return true;
    }
  }
  return false;
}

void emulators::give(const shared_firmware &program, std::unique_ptr<emulator> unused) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    unused_[&program].push_back(std::move(unused));
  }
  rest();
}

void emulators::rest() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --running_;
  changed_.notify_all();
}

void emulators::resume() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++running_;
}

}  // namespace soc
