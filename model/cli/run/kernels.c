// SPDX-License-Identifier: Apache-2.0
#include "cli/run/kernels.h"

#include <string.h>

const run_kernel_t *const run_kernels[RUN_KERNELS] = {&run_amla,   &run_base, &run_flash,  &run_fp8,
                                                      &run_w4a16,  &run_gemm, &run_hfa,    &run_fa2,
                                                      &run_expmul, &run_lm,   &run_decode, &run_custom};

const run_kernel_t *run_kernel_find(const char *name) {
  for (size_t i = 0; i < RUN_KERNELS; ++i) {
    if (strcmp(run_kernels[i]->name, name) == 0) {
      return run_kernels[i];
    }
  }
  return NULL;
}
