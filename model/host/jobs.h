// Independent jobs side by side, as many as there are processors.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_JOBS_H
#define AMALGAM_HOST_JOBS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct jobs jobs_t;

// Does one job, in any of the threads. False: failed; what is under way ends, nothing more is begun.
typedef bool jobs_fn(void *context, size_t job, jobs_t *jobs);

// Jobs 0 .. count - 1, in this order as threads become free; in the caller's own thread too.
// False: one has failed.
bool jobs_run(size_t count, jobs_fn *fn, void *context);

// For a job that finds out about others: that many more, with the numbers that follow.
void jobs_add(jobs_t *jobs, size_t count);

// One job at a time is between the two: for a list that jobs share.
void jobs_lock(jobs_t *jobs);
void jobs_unlock(jobs_t *jobs);

#endif
