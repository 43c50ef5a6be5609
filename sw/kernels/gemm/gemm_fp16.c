// gemm for FP16 results, and for few rows: see gemm_fp16_args_t.  A kernel of its own, so that gemm's
// scalar core has nothing to decide.
// SPDX-License-Identifier: Apache-2.0
#define GEMM_FP16
#include "kernels/gemm/gemm.c"  // NOLINT(bugprone-suspicious-include): one source, two kernels
