// What `amalgam run` can run.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_KERNELS_H
#define AMALGAM_CLI_RUN_KERNELS_H

#include "cli/run/run.h"

extern const run_kernel_t run_amla, run_base, run_flash, run_fp8, run_w4a16, run_gemm, run_hfa, run_fa2, run_expmul,
    run_lm, run_decode, run_custom;

enum { RUN_KERNELS = 12 };
extern const run_kernel_t *const run_kernels[RUN_KERNELS];

// NULL: no such kernel.
const run_kernel_t *run_kernel_find(const char *name);

#endif
