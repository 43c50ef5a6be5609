// SPDX-License-Identifier: Apache-2.0
#include "host/jobs.h"

#include <pthread.h>

#include "host/parallel.h"

struct jobs {
  jobs_fn *fn;
  void *context;
  pthread_mutex_t mutex;  // of what follows
  pthread_cond_t changed;
  size_t next, count;  // begun, known
  size_t active;
  bool failed;
  pthread_mutex_t shared;  // for jobs_lock
};

// Waits for a job. False: there will be none.
static bool take(jobs_t *jobs, size_t *job) {
  while (!jobs->failed && jobs->next == jobs->count && jobs->active > 0) {
    pthread_cond_wait(&jobs->changed, &jobs->mutex);
  }
  if (jobs->failed || jobs->next == jobs->count) {
    return false;
  }
  *job = jobs->next++;
  ++jobs->active;
  return true;
}

static void *work(void *argument) {
  jobs_t *jobs = argument;
  size_t job;
  pthread_mutex_lock(&jobs->mutex);
  while (take(jobs, &job)) {
    pthread_mutex_unlock(&jobs->mutex);
    const bool good = jobs->fn(jobs->context, job, jobs);
    pthread_mutex_lock(&jobs->mutex);
    --jobs->active;
    jobs->failed = jobs->failed || !good;
    pthread_cond_broadcast(&jobs->changed);
  }
  pthread_mutex_unlock(&jobs->mutex);
  return NULL;
}

void jobs_add(jobs_t *jobs, size_t count) {
  pthread_mutex_lock(&jobs->mutex);
  jobs->count += count;
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->mutex);
}

void jobs_lock(jobs_t *jobs) { pthread_mutex_lock(&jobs->shared); }
void jobs_unlock(jobs_t *jobs) { pthread_mutex_unlock(&jobs->shared); }

bool jobs_run(size_t count, jobs_fn *fn, void *context) {
  jobs_t jobs = {.fn = fn,
                 .context = context,
                 .count = count,
                 .mutex = PTHREAD_MUTEX_INITIALIZER,
                 .shared = PTHREAD_MUTEX_INITIALIZER,
                 .changed = PTHREAD_COND_INITIALIZER};
  pthread_t thread[PARALLEL_MAX_THREADS];
  size_t started = 0;
  while (started + 1 < parallel_host_threads() && pthread_create(&thread[started], NULL, work, &jobs) == 0) {
    ++started;
  }
  work(&jobs);
  while (started > 0) {
    pthread_join(thread[--started], NULL);
  }
  return !jobs.failed;
}
