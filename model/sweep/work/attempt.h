// One attempt at a point: this program once more, as a process with a folder of its own for temporary files. Its output
// does not touch the store's disk: its JSON and its log are files in memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_WORK_ATTEMPT_H
#define AMALGAM_SWEEP_WORK_ATTEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "sweep/study/points.h"

typedef enum attempt_end {
  ATTEMPT_EXITED,     // by itself
  ATTEMPT_SIGNALLED,  // by a signal that is not ours
  ATTEMPT_TOO_LONG,
  ATTEMPT_TOO_LARGE,  // its limit of memory, or that of the host: a SIGKILL from elsewhere
  ATTEMPT_STOPPED,    // attempt_stop
} attempt_end_t;

enum { ATTEMPT_CANNOT_START = 127 };  // the exit code then

typedef struct attempt {
  pid_t process;  // 0: none
  int ended;      // a descriptor that is readable when it has
  int out, log;   // files in memory
  char *folder;
  double began, told;         // told to end at; 0: not
  double seconds, memory_mb;  // limits, 0: none
  attempt_end_t why;          // it was told
} attempt_t;

typedef struct attempt_result {
  attempt_end_t end;
  int code;  // exit code, or 128 + the signal
  double seconds, peak_mb;
  char *json, *log;  // to be freed; never NULL
  size_t log_bytes;
  char error[BASE_ERROR_BYTES];  // the last line it said, without "amalgam: "
} attempt_result_t;

// memory_mb, seconds: limits, 0: none.  False: error says why it could not be started.
bool attempt_start(attempt_t *attempt, const points_words_t *words, double seconds, double memory_mb,
                   base_error_t *error);

// Ends it if it is beyond a limit, and makes it end if it does not. Seconds until it should be looked at again, -1:
// never.
double attempt_look(attempt_t *attempt);

// Tells it to end.
void attempt_stop(attempt_t *attempt);

// It has ended: collects it. False: no memory.
bool attempt_collect(attempt_t *attempt, attempt_result_t *result, base_error_t *error);
void attempt_result_free(attempt_result_t *result);

#endif
