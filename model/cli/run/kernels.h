// What `amalgam run` can run.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_KERNELS_H
#define CLI_KERNELS_H

#include "cli/run/run.h"

enum { RUN_KERNELS = 9 };
extern const run_kernel_t *const run_kernels[RUN_KERNELS];

// NULL: no such kernel.
const run_kernel_t *run_kernel_find(const char *name);

#endif
