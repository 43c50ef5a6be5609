// The options that say where a sweep runs: here, or on a cluster.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_SWEEP_SWEEP_ON_H
#define AMALGAM_CLI_SWEEP_SWEEP_ON_H

#include "cli/option/options.h"
#include "sweep/cluster.h"

// False: error names an option that has no meaning where the sweep runs, or no good value.
bool sweep_on_check(const options_t *options, base_error_t *error);

// Runs what is left, here or on the cluster.
base_exit_t sweep_on_run(sweep_t *sweep, const options_t *options, base_error_t *error);

#endif
