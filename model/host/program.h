// Runs a program, without a shell, and waits for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_PROGRAM_H
#define AMALGAM_HOST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#define PROGRAM_SELF "/proc/self/exe"  // this one

typedef struct program {
  const char *const *argv;  // a path, or a name for PATH to find; arguments; NULL
  const char *folder;       // it runs there; NULL: where this process does
  const char *input;        // text on its stdin; NULL: none
  // Destination of its output. stdout goes to the file `out`, stderr to `answer`. If one of the two is NULL, both
  // go to the other; if both are, nowhere.
  const char *out;
  char *answer;  // its last line; all of it, if `all`; cut at size - 1 bytes
  size_t size;
  bool all;
  bool anyway;  // it is run to its end even if an interrupt is noted
} program_t;

typedef enum program_end {
  PROGRAM_DONE,    // it exited with 0
  PROGRAM_FAILED,  // with another code, or by a signal
  PROGRAM_NOT_STARTED,
  PROGRAM_INTERRUPTED,  // host_interrupted: it and all that it started have ended
} program_end_t;

// Threads may run one each. It runs in a process group of its own. Interrupts are held meanwhile
// (host/interrupt.h); when one is noted the group is told to end (SIGTERM), then made to.
program_end_t program_run(const program_t *program);

#endif
