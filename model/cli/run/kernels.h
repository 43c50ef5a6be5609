// The kernels of `amalgam run`, from kernel/kernels.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_KERNELS_H
#define AMALGAM_CLI_RUN_KERNELS_H

#include "cli/run/run.h"

#define KERNEL(NAME, name, family, machine, firmware, data, alias) \
  extern const run_front_t run_##name;                             \
  extern const kernel_ops_t family##_ops;
#include "kernel/kernels.def"
#undef KERNEL

enum { RUN_KERNELS = CLI_KERNELS };
extern const run_kernel_t run_kernels[RUN_KERNELS];

// NULL: no such kernel.
const run_kernel_t *run_kernel_find(const char *name);

#endif
