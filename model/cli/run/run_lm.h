// The command `run lm`.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_LM_H
#define CLI_RUN_LM_H

#include "cli/run/run.h"

extern const run_kernel_t run_lm;

#endif
