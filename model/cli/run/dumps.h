// --dump CMD:SPACE[@ADDRESS][:FILE.npy]: what commands left in their operands.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_DUMPS_H
#define AMALGAM_CLI_RUN_DUMPS_H

#include "cli/run/run.h"
#include "soc/soc.h"

// After the options are parsed: notes the files.  False: one makes no sense, or its file has no place.
bool dumps_add(run_t *run);

// Hands them to the machine.
void dumps_soc(const run_t *run, soc_options_t *soc);

// Keeps the dumps that are there.
void dumps_written(run_t *run);

#endif
