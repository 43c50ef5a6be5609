// See unicorn_library.h.
// SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/unicorn_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>
#include <string>

// Unicorn calls this when a page is first touched. It has the name of Unicorn's own: a name that the program exports
// (see CMakeLists.txt) counts for its libraries, too.
extern "C" void tlb_set_page_riscv64(void *cpu, uint64_t page, uint64_t where, int rights, int mode, uint64_t bytes);

namespace soc {
namespace {

// Unicorn's own.
decltype(&tlb_set_page_riscv64) set_page;
void (*set_dirty)(void *cpu, uint64_t page);  // of a page that was set: stores to it need no look any more
thread_local const unicorn_pages *plain_pages = nullptr;
thread_local size_t plain_count = 0;

bool is_plain(uint64_t page) {
  return std::any_of(plain_pages, plain_pages + plain_count,
                     [page](const unicorn_pages &p) { return page >= p.begin && page < p.end; });
}

unicorn_functions load() {
  void *library = dlopen(UNICORN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  unicorn_functions all{};
  bool good = library != nullptr;
#define SOC_FUNCTION(name) \
  good = good && (all.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name))) != nullptr;
  SOC_UNICORN_FUNCTIONS(SOC_FUNCTION)
#undef SOC_FUNCTION
  if (!good) {
    throw std::runtime_error(std::string("scalar core: cannot load Unicorn: ") + dlerror());
  }
  set_page = reinterpret_cast<decltype(set_page)>(dlsym(library, "tlb_set_page_riscv64"));
  set_dirty = reinterpret_cast<decltype(set_dirty)>(dlsym(library, "tlb_set_dirty_riscv64"));
  return all;
}

}  // namespace

const unicorn_functions &unicorn() {
  static const unicorn_functions all = load();
  return all;
}

void unicorn_plain_pages(const unicorn_pages *pages, size_t count) {
  plain_pages = pages;
  plain_count = count;
}

}  // namespace soc

void tlb_set_page_riscv64(void *cpu, uint64_t page, uint64_t where, int rights, int mode, uint64_t bytes) {
  soc::set_page(cpu, page, where, rights, mode, bytes);
  if (soc::set_dirty != nullptr && soc::is_plain(page)) {
    soc::set_dirty(cpu, page);
  }
}
