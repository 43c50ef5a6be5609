// SPDX-License-Identifier: Apache-2.0
#include "host/limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/files.h"

bool host_take_stacks(uint64_t *kib) {
  const rlim_t wanted = (rlim_t)HOST_STACK_KIB << 10;
  struct rlimit limit;
  pthread_attr_t threads;
  pthread_attr_init(&threads);
  pthread_attr_setstacksize(&threads, (size_t)(HOST_STACK_KIB + HOST_GUARD_KIB) << 10);
  pthread_attr_setguardsize(&threads, (size_t)HOST_GUARD_KIB << 10);
  pthread_setattr_default_np(&threads);
  pthread_attr_destroy(&threads);
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= wanted) {
    return true;
  }
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
  setrlimit(RLIMIT_STACK, &limit);
  *kib = limit.rlim_cur >> 10;
  return *kib >= HOST_LEAST_STACK_KIB;
}

uint64_t host_addresses(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

uint64_t host_addresses_left(void) {
  char text[128];
  const uint64_t all = host_addresses();
  host_read_text("/proc/self/statm", text, sizeof text);
  const uint64_t taken = strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
  return all == UINT64_MAX ? all : all < taken ? 0 : all - taken;
}
