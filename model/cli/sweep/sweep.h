// `amalgam sweep`: a study, asked.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_SWEEP_SWEEP_H
#define AMALGAM_CLI_SWEEP_SWEEP_H

// Returns the exit code.
int sweep_command(int argc, char **argv);

#endif
