// From a core's entry point to the kernel: its arguments, and the blocks that the core takes.
//
// A machine may have fewer cores than a launch has blocks: then a core takes one after the other, as the chip does.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_LAUNCH_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_LAUNCH_H

#include "ascendc/cube.h"

namespace amalgam {

inline const ascend_args_t *arguments() { return static_cast<const ascend_args_t *>(hal_gm(hal_read(REG_ARGS))); }

template <typename T>
T take_argument(const uint64_t *&slot) {
  if constexpr (std::is_pointer_v<T>) {
    const uint64_t address = *slot++;
    return address == 0 ? nullptr : static_cast<T>(const_cast<void *>(hal_gm(address)));
  } else {
    T value;
    __builtin_memcpy(&value, slot, sizeof value);
    slot += (sizeof value + 7) / 8;
    return value;
  }
}

template <typename... A>
struct call {
  call(void (*kernel)(A...), A... arguments) { kernel(arguments...); }
};

template <typename... A>
__attribute__((noinline)) void run_block(void (*kernel)(A...), const uint64_t *slot) {
  call<A...>{kernel, take_argument<A>(slot)...};
}

template <typename... A>
void launch(void (*kernel)(A...)) {
  const ascend_args_t *args = arguments();
  const auto subs = is_mixed || is_cube ? 1 : static_cast<uint32_t>(hal_read(REG_SUB_COUNT));
  const auto sub = is_cube ? 0 : static_cast<uint32_t>(hal_read(REG_SUB_INDEX));
  const auto cores = static_cast<uint32_t>(hal_read(REG_CORE_COUNT)) * subs;
  context at = {};
  stand_at(&at);
  for (uint32_t block = static_cast<uint32_t>(hal_read(REG_CORE_INDEX)) * subs + (subs > 1 ? sub : 0);
       block < args->blocks; block += cores) {
    at = {};
    at.block = block;
    at.blocks = args->blocks;
    at.sub = sub;
    at.mask[0] = at.mask[1] = ~uint64_t{0};
    run_block(kernel, args->slot);
    const uint64_t pc = hal_pc();
    lower_free(pc);
    wait_unit(pc);
    if (block + cores < args->blocks) {
      meet(pc);
    }
  }
}

template <typename T>
constexpr uint32_t kind_of() {
  return std::is_pointer_v<T>                  ? ASCEND_POINTER
         : std::is_class_v<T> && sizeof(T) > 2 ? ASCEND_STRUCT
         : std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, ::half> ||
                 std::is_same_v<T, ::bfloat16_t>
             ? ASCEND_FLOAT
         : std::is_signed_v<T> ? ASCEND_SIGNED
                               : ASCEND_UNSIGNED;
}

template <typename T>
constexpr uint32_t pointee_of() {
  using U = std::remove_cv_t<std::remove_pointer_t<T>>;
  if constexpr (std::is_pointer_v<T> && !std::is_same_v<U, uint8_t> && !std::is_same_v<U, char> &&
                (std::is_same_v<U, float> || std::is_same_v<U, ::half> || std::is_same_v<U, ::bfloat16_t> ||
                 std::is_integral_v<U>)) {
    return type_of<U>() + 1;
  } else {
    return 0;
  }
}

constexpr void set_name(char *to, const char *from) {
  for (int i = 0; i < ASCEND_NAME - 1 && from[i] != 0; ++i) {
    to[i] = from[i];
  }
}

// What the host has to know of a kernel.
template <typename... A, typename... N>
constexpr ascend_kernel_t describe(uint32_t entry, void (*)(A...), const char *name, N... names) {
  static_assert(sizeof...(A) <= ASCEND_PARAMS, "a kernel has more parameters than there is room for");
  const uint32_t kinds[sizeof...(A) + 1] = {kind_of<A>()...};
  const uint32_t bytes[sizeof...(A) + 1] = {sizeof(A)...};
  const uint32_t types[sizeof...(A) + 1] = {pointee_of<A>()...};
  const char *const texts[sizeof...(N) + 1] = {names...};
  ascend_kernel_t kernel = {};
  kernel.magic = ASCEND_MAGIC;
  kernel.entry = entry;
  kernel.params = sizeof...(A);
  kernel.cores = is_mixed ? AMALGAM_MIXED : is_cube ? ASCEND_AI_CORE : ASCEND_VECTOR_CORE;
  set_name(kernel.name, name);
  for (uint32_t i = 0; i < sizeof...(A); ++i) {
    kernel.param[i].kind = kinds[i];
    kernel.param[i].bytes = bytes[i];
    kernel.param[i].type = types[i];
    set_name(kernel.param[i].name, texts[i]);
  }
  return kernel;
}

}  // namespace amalgam

#endif
