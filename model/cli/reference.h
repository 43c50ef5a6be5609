// Reference tables in Markdown, from the .def files that the code itself is made of.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_REFERENCE_H
#define AMALGAM_CLI_REFERENCE_H

// The command `commands`: pipes, commands, vector and memory operations, registers, parameters.
// argv[0] is its name.  Returns the exit code.
int reference(int argc, char **argv);

#endif
