// Kernel gemm_fp16: for FP16 results, and for few rows; see gemm_fp16_args_t.  A kernel of its own, so that
// gemm's scalar core has nothing to decide.
// SPDX-License-Identifier: Apache-2.0
#define GEMM_OWN uint32_t c_type, given_cols;
#include "kernels/gemm/gemm_impl.h"

static inline const gemm_args_t *gemm_args(gemm_t *gemm) {
  const gemm_fp16_args_t *given = hal_gm(hal_read(REG_ARGS));
  require(given->tile_cols % STRIP == 0 && given->tile_cols <= TILE_COLS &&
              (given->c_type == TYPE_F32 || given->c_type == TYPE_F16),
          PANIC_ARGUMENTS);
  gemm->c_type = given->c_type;
  gemm->given_cols = given->tile_cols;
  return &given->product;
}

static inline uint32_t c_type(const gemm_t *gemm) { return gemm->c_type; }

static inline uint32_t given_cols(const gemm_t *gemm) { return gemm->given_cols; }
