// SPDX-License-Identifier: Apache-2.0
#include "host/parallel.h"

#include <sched.h>

static void schedule(pthread_t thread, int policy) {
  const struct sched_param none = {0};
  (void)pthread_setschedparam(thread, policy, &none);  // else as it is
}

static void *work(void *argument) {
  parallel_part_t *part = argument;
  part->good = part->fn(part->context, part->first, part->end);
  return NULL;
}

void parallel_begin(parallel_part_t *part, size_t first, size_t end, parallel_fn *fn, void *context) {
  *part = (parallel_part_t){.fn = fn, .context = context, .first = first, .end = end};
  part->started = pthread_create(&part->thread, NULL, work, part) == 0;
}

void parallel_begin_idle(parallel_part_t *part, size_t first, size_t end, parallel_fn *fn, void *context) {
  parallel_begin(part, first, end, fn, context);
  part->idle = part->started;
  if (part->idle) {
    schedule(part->thread, SCHED_IDLE);
  }
}

bool parallel_end(parallel_part_t *part) {
  if (part->idle) {
    schedule(part->thread, SCHED_OTHER);
  }
  if (part->started) {
    pthread_join(part->thread, NULL);
  } else {
    work(part);
  }
  return part->good;
}

bool parallel_for(size_t threads, size_t count, parallel_fn *fn, void *context) {
  parallel_part_t part[PARALLEL_MAX_THREADS];
  const size_t most = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
  const size_t useful = count < most ? count : most;
  const size_t used = useful == 0 ? 1 : useful;
  size_t first = 0;
  for (size_t i = 0; i + 1 < used; ++i) {
    const size_t length = count / used + (i < count % used);
    parallel_begin(&part[i], first, first + length, fn, context);
    first += length;
  }
  bool good = fn(context, first, count);  // the caller's own, while the others run
  for (size_t i = used - 1; i-- > 0;) {
    good = parallel_end(&part[i]) && good;
  }
  return good;
}

size_t parallel_host_threads(void) {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < 1 ? 1 : count > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : (size_t)count;
}
