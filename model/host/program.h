// Runs a program and waits for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_PROGRAM_H_
#define AMALGAM_HOST_PROGRAM_H_

#include <stdbool.h>
#include <stddef.h>

typedef enum program_end {
  PROGRAM_DONE,            // it exited with 0
  PROGRAM_FAILED,          // with another code, or by a signal
  PROGRAM_NOT_STARTED,
  PROGRAM_INTERRUPTED,     // by host_interrupted: it and all that it started have ended
} program_end_t;

// argv[0] is its path; argv ends with NULL. It reads nothing. answer: the last line of what it prints,
// on stdout and stderr; all of it, if `all`; cut at size - 1 bytes. Threads may run one each.
// When SIGINT or SIGTERM comes it is told to end (SIGTERM), then made to; where the signals are not held
// back (host/interrupt.h), they do afterwards what they do.
program_end_t program_run(const char *const argv[], bool all, char *answer, size_t size);

#endif
