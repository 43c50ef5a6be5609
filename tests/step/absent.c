// Stands in for operations that a test builds the kernel without: they end the run.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/step.h"
#include "lib/panic.h"

#define STEP_OP(NAME, name, cores, text)                                              \
  __attribute__((weak)) void step_##name##_cube(const step_##name##_args_t *args) {   \
    (void)args;                                                                       \
    require(false, PANIC_ARGUMENTS);                                                  \
  }                                                                                   \
  __attribute__((weak)) void step_##name##_vector(const step_##name##_args_t *args) { \
    (void)args;                                                                       \
    require(false, PANIC_ARGUMENTS);                                                  \
  }
#include "kernels/step/step_ops.def"
#undef STEP_OP
