// `amalgam sweep`: a study, asked.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

// Returns the exit code.
int sweep_command(int argc, char **argv);

#endif
