// Unicorn, an instruction set simulator, as a library that is loaded when a machine runs RISC-V firmware (workers.h):
// the dynamic linker takes some 8 ms for its 37 000 names, which other commands need not wait for.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SCALAR_UNICORN_LIBRARY_H
#define AMALGAM_SOC_SCALAR_UNICORN_LIBRARY_H

#include <unicorn/unicorn.h>

namespace soc {

// Its functions that we call, by their names: unicorn().uc_open(..).
// Its form would move these lines at each call.
// clang-format off
#define SOC_UNICORN_FUNCTIONS(X) \
  X(uc_open) X(uc_close) X(uc_strerror) X(uc_hook_add) X(uc_mmio_map) X(uc_mem_map_ptr) X(uc_mem_protect) \
  X(uc_mem_read) X(uc_mem_write) X(uc_reg_read) X(uc_reg_write) X(uc_emu_start) X(uc_emu_stop) X(uc_context_alloc) \
  X(uc_context_free) X(uc_context_save) X(uc_context_restore)
// clang-format on

struct unicorn_functions {
#define SOC_FUNCTION(name) decltype(&::name) name;
  SOC_UNICORN_FUNCTIONS(SOC_FUNCTION)
#undef SOC_FUNCTION
};

// Throws std::runtime_error if it is not there.
const unicorn_functions &unicorn();

// Pages that a program may write and cannot execute.
struct unicorn_pages {
  uint64_t begin, end;
};
// Names the plain pages of the emulator that this thread runs until the next call; they must stay where they are.
// Unicorn checks stores to other pages for permission and translated code, which takes ten times as long as the store.
void unicorn_plain_pages(const unicorn_pages *pages, size_t count);

}  // namespace soc

#endif  // AMALGAM_SOC_SCALAR_UNICORN_LIBRARY_H
