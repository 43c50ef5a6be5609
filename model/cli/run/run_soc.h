// The simulation of a run of the SoC, between preparing and judging it: the same for every kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_SOC_H
#define CLI_RUN_SOC_H

#include "cli/run/run.h"
#include "soc/soc.h"

// Before it: progress goes to the terminal. flops: of all of it.
void run_soc_begin(run_t *run, soc_options_t *soc, uint64_t flops);

// After it: the exit code, with the reason in run->error unless it is BASE_OK.
base_exit_t run_soc_end(run_t *run, soc_status_t status, const soc_result_t *result);

#endif
