// Work on ranges of indices by POSIX threads, for what the host does before and after a simulation.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_PARALLEL_H
#define AMALGAM_HOST_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PARALLEL_MAX_THREADS = 16 };

// Does indices first .. end - 1. Different ranges run at the same time and must not share what
// they write. False: failed.
typedef bool parallel_fn(void *context, size_t first, size_t end);

// A range under way.
typedef struct parallel_part {
  parallel_fn *fn;
  void *context;
  size_t first, end;
  bool good;
  bool started;  // a thread does it
  bool idle;     // with what others leave of the processors
  pthread_t thread;
} parallel_part_t;

// The range is done beside whatever the caller does until parallel_end, and in that if no thread can be started.
// *part must stay where it is until then.
void parallel_begin(parallel_part_t *part, size_t first, size_t end, parallel_fn *fn, void *context);
// Like parallel_begin, in processor time that nobody else wants, until parallel_end.
void parallel_begin_idle(parallel_part_t *part, size_t first, size_t end, parallel_fn *fn, void *context);
// False: failed.
bool parallel_end(parallel_part_t *part);

// 0 .. count - 1 in up to `threads` contiguous ranges of about equal length, one of them in the
// calling thread; a thread that cannot be started leaves its range to the caller. False if any
// range failed.
bool parallel_for(size_t threads, size_t count, parallel_fn *fn, void *context);

// Processors this process may use, from 1 to PARALLEL_MAX_THREADS.
size_t parallel_host_threads(void);

#ifdef __cplusplus
}
#endif

#endif
