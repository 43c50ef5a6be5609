// What a source says of itself: checks, output for looking at it, tiling data and keys, workspaces.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_DEBUG_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_DEBUG_H

#include "ascendc/tensor.h"

// Stops the run, at its line, if not so.
#define ASCENDC_ASSERT(condition, ...) amalgam::require(static_cast<bool>(condition), amalgam::PANIC_REQUIRED)
#define ASSERT(condition) ASCENDC_ASSERT(condition)
#ifndef assert
#define assert(...) amalgam::require(static_cast<bool>((__VA_ARGS__)), amalgam::PANIC_REQUIRED)
#endif

// Output is left out; `--dump`, `--watch` and `--timeline` of the command look into a run.
#define PRINTF(...) AscendC::printf(__VA_ARGS__)

// -DTILING_KEY=N says which of a source's kernels is meant.
#ifndef TILING_KEY
#define TILING_KEY 0
#endif
#define TILING_KEY_IS(key) ((key) == (TILING_KEY))
#define GET_TILING_DATA_WITH_STRUCT(type, name, bytes) \
  type name;                                           \
  __builtin_memcpy(&name, bytes, sizeof(name))
#define GET_TILING_DATA_MEMBER(type, member, name, bytes) \
  decltype(type::member) name;                            \
  __builtin_memcpy(&name, (bytes) + offsetof(type, member), sizeof(name))

namespace AscendC {

template <typename... A>
AMALGAM_INLINE void printf(const char *, A &&...) {}
template <typename T, typename... A>
AMALGAM_INLINE void DumpTensor(const LocalTensor<T> &, A &&...) {}
template <typename T, typename... A>
AMALGAM_INLINE void DumpTensor(const GlobalTensor<T> &, A &&...) {}

// All of a workspace is the source's: the system needs none of it.
AMALGAM_INLINE GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
AMALGAM_INLINE void SetSysWorkspace(GM_ADDR) {}

}  // namespace AscendC

using AscendC::DumpTensor;

#endif
