// `amalgam list [kernels|configs|systems|reports|studies]`: what there is to be named on a command line.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_LIST_LIST_H
#define AMALGAM_CLI_LIST_LIST_H

// argv[0] is "list". Returns the exit code.
int list(int argc, char **argv);

#endif
