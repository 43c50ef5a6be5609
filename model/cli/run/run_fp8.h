// The command `run fp8`.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_FP8_H
#define CLI_RUN_FP8_H

#include "cli/run/run.h"

extern const run_kernel_t run_fp8;

#endif
