// The commands `run hfa` and `run fa2`.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_ENGINE_H
#define CLI_RUN_ENGINE_H

// argv[0] is the kernel's name.  Returns the exit code.
int run_engine(const char *kernel, int argc, char **argv);

#endif
