// The command `run lm`: a language model with its attention on the SoC's engines.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_LM_H
#define CLI_RUN_LM_H

// argv[0] is the kernel's name.  Returns the exit code.
int run_lm(const char *kernel, int argc, char **argv);

#endif
