// The commands `run amla` and `run base`.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_ATTENTION_H
#define CLI_RUN_ATTENTION_H

#include "cli/run/run.h"

extern const run_kernel_t run_amla, run_base;

#endif
