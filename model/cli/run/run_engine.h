// The commands `run hfa` and `run fa2`.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_ENGINE_H
#define CLI_RUN_ENGINE_H

#include "cli/run/run.h"

extern const run_kernel_t run_hfa, run_fa2;

#endif
