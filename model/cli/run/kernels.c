// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"

#include <string.h>

const run_kernel_t run_kernels[RUN_KERNELS] = {
#define KERNEL(NAME, name, family, machine, firmware, data, alias) \
  {#name, alias, CLI_RUN_##NAME, &family##_ops, &run_##name},
#include "kernel/kernels.def"
#undef KERNEL
};

const run_kernel_t *run_kernel_find(const char *name) {
  for (size_t i = 0; i < RUN_KERNELS; ++i) {
    const char *alias = run_kernels[i].alias;
    if (strcmp(run_kernels[i].name, name) == 0 || (alias != NULL && strcmp(alias, name) == 0)) {
      return &run_kernels[i];
    }
  }
  return NULL;
}
