// The command `synth`: area and timing of the RTL in a standard-cell library (model/silicon/synth).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_SYNTH_SYNTH_H
#define AMALGAM_CLI_SYNTH_SYNTH_H

// argv[0] is "synth".  Returns the exit code.
int synth(int argc, char **argv);

#endif
