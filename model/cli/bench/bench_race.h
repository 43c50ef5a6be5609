// Speeds that can be compared: all runners take turns, many times over, and each one's best turn
// counts, so that a machine which others use as well slows none of them more than the rest.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_BENCH_BENCH_RACE_H
#define AMALGAM_CLI_BENCH_BENCH_RACE_H

#include <stddef.h>

// Does the work `rounds` times. Returns the seconds it took, negative: failed.
typedef double runner_fn(void *context, size_t rounds);

typedef struct runner {
  runner_fn *run;  // NULL: does not take part
  void *context;
  double work;   // of one round, in any unit
  double speed;  // found: best work a second, 0 if it did not take part or failed
} runner_t;

// Each runner gets turns for about `budget` seconds of its own, at least one.
void race(runner_t *runners, size_t count, double budget);

// Seconds of the processor that this thread has used so far.
double race_clock(void);

#endif
