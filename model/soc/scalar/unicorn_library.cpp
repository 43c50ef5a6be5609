// See unicorn_library.h. SPDX-License-Identifier: Apache-2.0
#include "soc/scalar/unicorn_library.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace soc {
namespace {

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
  return all;
}

}  // namespace

const unicorn_functions &unicorn() {
  static const unicorn_functions all = load();
  return all;
}

}  // namespace soc
