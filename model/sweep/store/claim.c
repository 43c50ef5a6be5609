// SPDX-License-Identifier: Apache-2.0
#include "sweep/store/claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/files.h"

static const int64_t second = 1000000000;

static int64_t time_of(const struct stat *status) {
  return (int64_t)status->st_mtim.tv_sec * second + status->st_mtim.tv_nsec;
}

// --- processes --------------------------------------------------------------------------------

// When a process began, in ticks since the host did; 0: there is none.
static unsigned long long start_of(long process) {
  char path[64], text[1024];
  unsigned long long start = 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", process);
  host_read_text(path, text, sizeof text);
  const char *at = strrchr(text, ')');  // behind the program's name: the state, which is field 3
  for (int field = 2; at != NULL && field < 22; ++field) {
    at = strchr(at + 1, ' ');
  }
  return at != NULL && sscanf(at, "%llu", &start) == 1 ? start : 0;
}

// The host since it was started, and where in it process numbers are those of this process.
static void name_host(char host[CLAIM_HOST_BYTES]) {
  char boot[64], space[64] = "";
  host_read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  boot[strcspn(boot, "\n")] = '\0';
  const ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  space[length < 0 ? 0 : length] = '\0';
  snprintf(host, CLAIM_HOST_BYTES, "%s/%s", boot, space);
}

// Is the worker that this file is of known to be gone?
static bool is_gone(const char *path, const char *host) {
  char its[CLAIM_HOST_BYTES] = "", text[CLAIM_HOST_BYTES + 64];
  long process = 0;
  unsigned long long start = 0;
  host_read_text(path, text, sizeof text);
  return sscanf(text, "%255s %ld %llu", its, &process, &start) == 3 && strcmp(its, host) == 0 &&
         start_of(process) != start &&
         !(kill((pid_t)process, 0) != 0 && errno == EPERM);  // somebody else's, of whom /proc shows nothing
}

// A file system on the net keeps times for a while, and asks again when a file is opened.
static bool is_stale(const char *path, const struct stat *status, int64_t now) {
  struct stat again = *status;
  if (now - time_of(status) > CLAIM_STALE_SECONDS * second) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
      fstat(file, &again);
      close(file);
    }
  }
  return now - time_of(&again) > CLAIM_STALE_SECONDS * second;
}

static bool is_void(const char *path, const struct stat *status, const char *host, int64_t now) {
  return is_stale(path, status, now) || is_gone(path, host);
}

// --- a worker ---------------------------------------------------------------------------------

static void *beat(void *context) {
  claims_t *claims = context;
  pthread_mutex_lock(&claims->lock);
  while (!claims->stopping) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += CLAIM_BEAT_SECONDS;
    pthread_cond_timedwait(&claims->stop, &claims->lock, &until);
    utimensat(AT_FDCWD, claims->file, NULL, 0);
  }
  pthread_mutex_unlock(&claims->lock);
  return NULL;
}

// Signals are for the thread that waits for what it has started.
static bool start_beat(claims_t *claims) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_mutex_init(&claims->lock, NULL);
  pthread_cond_init(&claims->stop, NULL);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  claims->beats = pthread_create(&claims->beat, NULL, beat, claims) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return claims->beats;
}

static bool make_file(claims_t *claims, base_error_t *error) {
  char what[128], name[65] = "";
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  gethostname(name, sizeof name - 1);
  snprintf(what, sizeof what, "workers/%.60s.%ld.%lx", name, (long)getpid(), (unsigned long)now.tv_nsec);
  store_path(claims->store, what, claims->file);
  FILE *file = fopen(claims->file, "wxe");
  const bool written =
      file != NULL && fprintf(file, "%s %ld %llu\n", claims->host, (long)getpid(), start_of(getpid())) > 0;
  const bool good = file != NULL && fclose(file) == 0 && written;
  if (!good) {
    base_fail(error, "%s: cannot write: %s", claims->file, strerror(errno));
    unlink(claims->file);
  }
  return good;
}

bool claims_open(claims_t *claims, const store_t *store, base_error_t *error) {
  *claims = (claims_t){.store = store};
  name_host(claims->host);
  return make_file(claims, error) && (start_beat(claims) || base_fail(error, "no thread for a heartbeat"));
}

void claims_close(claims_t *claims) {
  if (claims->beats) {
    pthread_mutex_lock(&claims->lock);
    claims->stopping = true;
    pthread_cond_signal(&claims->stop);
    pthread_mutex_unlock(&claims->lock);
    pthread_join(claims->beat, NULL);
    claims->beats = false;
  }
  unlink(claims->file);
}

int64_t claims_now(const store_t *store) {
  char what[64], path[STORE_PATH_BYTES];
  struct stat status;
  struct timespec here;
  clock_gettime(CLOCK_REALTIME, &here);
  snprintf(what, sizeof what, "workers/clock.%ld.%lx", (long)getpid(), (unsigned long)here.tv_nsec);
  store_path(store, what, path);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const bool good = file >= 0 && fstat(file, &status) == 0;
  if (file >= 0) {
    close(file);
    unlink(path);
  }
  return good ? time_of(&status) : (int64_t)here.tv_sec * second + here.tv_nsec;
}

// --- a claim ----------------------------------------------------------------------------------

static void path_of(const store_t *store, const char *name, char path[STORE_PATH_BYTES]) {
  char what[STORE_NAME_BYTES + 16];
  snprintf(what, sizeof what, "claims/%s", name);
  store_path(store, what, path);
}

// Takes a void claim away: by renaming it, which one of several succeeds in. Should another have done so before and
// somebody have claimed it since, that claim is put back.
static void take_away(const claims_t *claims, const char *path, const struct stat *found) {
  char away[STORE_PATH_BYTES];
  struct stat got;
  snprintf(away, sizeof away, "%.4000s.void.%ld", path, (long)getpid());
  if (rename(path, away) != 0) {
    return;
  }
  if (stat(away, &got) == 0 && (got.st_ino != found->st_ino || time_of(&got) != time_of(found)) &&
      !is_void(away, &got, claims->host, claims_now(claims->store)) && link(away, path) != 0) {
    // Somebody claimed it in between: the point is run twice, with one result.
  }
  unlink(away);
}

claim_t claims_take(claims_t *claims, const char *name, base_error_t *error) {
  char path[STORE_PATH_BYTES];
  struct stat found;
  bool over = false;
  path_of(claims->store, name, path);
  for (int tries = 0; tries < 3; ++tries) {
    if (link(claims->file, path) == 0) {
      return over ? CLAIM_TAKEN_OVER : CLAIM_MINE;
    }
    if (errno != EEXIST) {
      base_fail(error, "%s: cannot write: %s", path, strerror(errno));
      return CLAIM_FAILED;
    }
    if (stat(path, &found) == 0) {
      if (!is_void(path, &found, claims->host, claims_now(claims->store))) {
        return CLAIM_OTHERS;
      }
      take_away(claims, path, &found);
      over = true;
    }
  }
  return CLAIM_OTHERS;
}

void claims_release(claims_t *claims, const char *name) {
  char path[STORE_PATH_BYTES];
  struct stat its, own;
  path_of(claims->store, name, path);
  if (stat(path, &its) == 0 && stat(claims->file, &own) == 0 && its.st_ino == own.st_ino) {  // not taken away meanwhile
    unlink(path);
  }
}

// --- all of them ------------------------------------------------------------------------------

static void each(const store_t *store, const char *folder,
                 void (*fn)(void *context, const char *path, const char *name, bool is_void), void *context) {
  char path[STORE_PATH_BYTES], file[STORE_PATH_BYTES], host[CLAIM_HOST_BYTES];
  struct stat status;
  store_path(store, folder, path);
  DIR *list = opendir(path);
  if (list == NULL) {
    return;
  }
  name_host(host);
  const int64_t now = claims_now(store);
  for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
    if (entry->d_name[0] != '.' && snprintf(file, sizeof file, "%.3800s/%s", path, entry->d_name) > 0 &&
        stat(file, &status) == 0) {
      fn(context, file, entry->d_name, is_void(file, &status, host, now));
    }
  }
  closedir(list);
}

typedef struct listing {
  void (*fn)(void *context, const char *name);
  void *context;
} listing_t;

static void list_one(void *context, const char *path, const char *name, bool is_void) {
  (void)path;
  const listing_t *listing = context;
  if (!is_void && strlen(name) == STORE_NAME_BYTES - 1) {
    listing->fn(listing->context, name);
  }
}

void claims_list(const store_t *store, void (*fn)(void *context, const char *name), void *context) {
  listing_t listing = {fn, context};
  each(store, "claims", list_one, &listing);
}

static void clean_one(void *context, const char *path, const char *name, bool is_void) {
  (void)context, (void)name;
  if (is_void) {
    unlink(path);
  }
}

void claims_clean(const store_t *store) {
  each(store, "claims", clean_one, NULL);
  each(store, "workers", clean_one, NULL);
}
