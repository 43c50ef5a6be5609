// What sgemmc_shrink and sgemmc_expand take from a header of another licence: a copy of their tiling data.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_EXTERNAL_INCLUDE_COMMON_TILING_KERNEL_H
#define AMALGAM_TESTS_EXTERNAL_INCLUDE_COMMON_TILING_KERNEL_H

#include "kernel_operator.h"

namespace kernel_utils {

template <typename T>
__aicore__ inline void CopyTiling(T *to, GM_ADDR from) {
  __builtin_memcpy(to, from, sizeof(T));
}

}  // namespace kernel_utils

#endif
