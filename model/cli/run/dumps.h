// --dump CMD:SPACE[@ADDRESS][:FILE.npy]: what commands left in their operands. --dump-all DIR: a folder of what every
// command of a window left (blame/dump_all.h), that appears whole or not at all.
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

// Before the run: is there room for a new folder of that name, or is it an empty one?
bool dump_all_check(const options_t *options, base_error_t *error);

// Once the run is over: writes all, and lets outputs_commit of the run's other files go before the folder takes its
// name. Without --dump-all that alone.
bool dump_all_commit(run_t *run, base_error_t *error);

// Removes a folder that has been begun: for host_interrupt_ends.
void dump_all_remove_begun(void);

#endif
