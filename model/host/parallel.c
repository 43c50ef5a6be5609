// SPDX-License-Identifier: Apache-2.0
#include "host/parallel.h"

#include <pthread.h>
#include <sched.h>

typedef struct range {
  parallel_fn *fn;
  void *context;
  size_t first, end;
  bool good;
  bool started;
  pthread_t thread;
} range_t;

static void *work(void *argument) {
  range_t *range = argument;
  range->good = range->fn(range->context, range->first, range->end);
  return NULL;
}

bool parallel_for(size_t threads, size_t count, parallel_fn *fn, void *context) {
  range_t ranges[PARALLEL_MAX_THREADS];
  const size_t most = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
  const size_t used = most == 0 ? 1 : most;
  size_t first = 0;
  for (size_t i = 0; i < used; ++i) {
    const size_t length = count / used + (i < count % used);
    ranges[i] = (range_t){.fn = fn, .context = context, .first = first, .end = first + length};
    first += length;
    ranges[i].started = i + 1 < used && length > 0 &&
                        pthread_create(&ranges[i].thread, NULL, work, &ranges[i]) == 0;
  }
  bool good = true;
  for (size_t i = used; i-- > 0;) {   // the caller's own range first, while the others run
    if (ranges[i].started) {
      pthread_join(ranges[i].thread, NULL);
    } else {
      work(&ranges[i]);
    }
    good = good && ranges[i].good;
  }
  return good;
}

size_t parallel_host_threads(void) {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < 1                      ? 1
         : count > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS
                                        : (size_t)count;
}
