// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include <sys/resource.h>
#include <time.h>

double host_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec + 1e-6 * (double)time.tv_usec; }

double host_processor_seconds(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime) : 0;
}

double host_peak_rss_mb(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}
