// The commands `run amla` and `run base`.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_ATTENTION_H
#define CLI_RUN_ATTENTION_H

// argv[0] is the kernel's name.  Returns the exit code.
int run_attention(const char *kernel, int argc, char **argv);

#endif
