// Preloaded: allocation number $FAULT_AT fails, with $FAULT_ON all that follow, too. Without FAULT_AT their number is
// written to the file $FAULT_COUNT at the end. Calls from within libunicorn and libsystemc are not counted, which do
// not look; nor are those of processes forked off, which have faults of their own.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// glibc's own, by the names under which it keeps them.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong calls;
static unsigned long fails_at;
static bool fails_on, ready;
static struct {
  const char *name;
  uintptr_t begin, end;
} trusting[] = {{"libunicorn", 0, 0}, {"libsystemc", 0, 0}};
enum { TRUSTING = sizeof trusting / sizeof trusting[0] };

static int find_trusting(struct dl_phdr_info *info, size_t size, void *none) {
  (void)size;
  (void)none;
  for (size_t at = 0; at < TRUSTING; ++at) {
    for (int i = 0; strstr(info->dlpi_name, trusting[at].name) != NULL && i < info->dlpi_phnum; ++i) {
      const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
        trusting[at].begin = begin;
        trusting[at].end = begin + info->dlpi_phdr[i].p_memsz;
      }
    }
  }
  return 0;
}

static bool is_trusting(uintptr_t caller) {
  bool is = false;
  for (size_t at = 0; at < TRUSTING; ++at) is = is || (caller >= trusting[at].begin && caller < trusting[at].end);
  return is;
}

static void forked(void) { ready = false; }

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("FAULT_AT");
  fails_at = at == NULL ? 0 : strtoul(at, NULL, 10);
  fails_on = getenv("FAULT_ON") != NULL;
  unsetenv("LD_PRELOAD");  // of this process alone
  dl_iterate_phdr(find_trusting, NULL);
  pthread_atfork(NULL, NULL, forked);
  calls = 0;
  ready = true;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAULT_COUNT");
  FILE *file = fails_at == 0 && path != NULL ? fopen(path, "w") : NULL;
  if (file != NULL) {
    fprintf(file, "%lu\n", atomic_load(&calls));
    fclose(file);
  }
}

static bool fails(const void *caller) {
  if (!ready || is_trusting((uintptr_t)caller)) return false;
  const unsigned long call = atomic_fetch_add(&calls, 1) + 1;
  const bool now = fails_at != 0 && (call == fails_at || (fails_on && call > fails_at));
  errno = now ? ENOMEM : errno;
  return now;
}

#define FAILS fails(__builtin_return_address(0))
void *malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return FAILS ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *got = FAILS ? NULL : __libc_memalign(alignment, size);
  *memory = got == NULL ? *memory : got;
  return got == NULL ? ENOMEM : 0;
}
