// `run w4a16` and `run gemm`: products of FP16 activations with 4-bit or FP16 weights, on the SoC.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_GEMM_H
#define CLI_RUN_GEMM_H

#include "cli/run/run.h"

extern const run_kernel_t run_w4a16;
extern const run_kernel_t run_gemm;

#endif
