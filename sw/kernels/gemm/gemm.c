// Kernel gemm: c in FP32.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm_impl.h"

static inline const gemm_args_t *gemm_args(gemm_t *gemm) {
  (void)gemm;
  return hal_gm(hal_read(REG_ARGS));
}

static inline uint32_t c_type(const gemm_t *gemm) {
  (void)gemm;
  return TYPE_F32;
}

static inline uint32_t given_cols(const gemm_t *gemm) {
  (void)gemm;
  return 0;
}
