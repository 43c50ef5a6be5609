// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_BENCH_BENCH_H
#define AMALGAM_CLI_BENCH_BENCH_H

// The command `bench`: how fast the simulator's own parts are on this host. Returns an exit code.
int bench(int argc, char **argv);

#endif
