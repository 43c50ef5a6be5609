// --trace-on error of a run whose result is wrong: the same run once more, in a process of its own, whose waveforms end
// with the command that is to blame.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_RETRACE_H
#define AMALGAM_CLI_RUN_RETRACE_H

#include "cli/run/run.h"

// Will it have to know who is to blame, if the result is wrong?
bool retrace_wanted(const run_t *run);

// Once the result has been judged: writes the waveforms to path if it is wrong, and says on stdout what they show.
// False: they cannot be written.
bool retrace(run_t *run, const char *path, base_error_t *error);

#endif
