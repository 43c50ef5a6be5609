// All that decides the result of a run: the program, its firmware, the RTL of engines, the machine, options, and the
// contents of files that are named. Texts, outputs and the number of threads do not decide it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_SWEEP_SWEEP_IDENTITY_H
#define AMALGAM_CLI_SWEEP_SWEEP_IDENTITY_H

#include "sweep/sweep.h"

typedef struct sweep_identity sweep_identity_t;

// The functions that a sweep asks, with an identity as context, which is to be freed.
sweep_command_t sweep_identity_make(void);
void sweep_identity_free(sweep_command_t *command);

#endif
