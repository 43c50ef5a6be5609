// SPDX-License-Identifier: Apache-2.0
#include "sweep/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/files.h"
#include "sweep/store/digest.h"

bool store_open(store_t *store, const char *folder, base_error_t *error) {
  if (strlen(folder) > STORE_PATH_BYTES / 2) {
    return base_fail(error, "--store: a name of %zu bytes; expected at most %d", strlen(folder), STORE_PATH_BYTES / 2);
  }
  snprintf(store->folder, sizeof store->folder, "%s", folder);
  size_t length = strlen(store->folder);
  while (length > 1 && store->folder[length - 1] == '/') {
    store->folder[--length] = '\0';
  }
  return length > 0 || base_fail(error, "--store: empty; expected a folder");
}

static bool make_folder(const char *path, base_error_t *error) {
  struct stat status;
  if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
    return true;
  }
  return base_fail(error, "%s: cannot make this folder: %s", path, strerror(errno));
}

bool store_make(const store_t *store, base_error_t *error) {
  static const char *const folders[] = {"", "workers", "claims"};
  char path[STORE_PATH_BYTES];
  if (!make_folder(store->folder, error)) {
    return false;
  }
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    store_path(store, folders[i], path);
    if (!make_folder(path, error)) {
      return false;
    }
  }
  return true;
}

// --- where ------------------------------------------------------------------------------------

// A path that does not fit is cut, and then not found; the folder takes at most half of it.
static void join(char path[STORE_PATH_BYTES], const char *a, const char *b, const char *c, const char *d) {
  const char *const parts[] = {a, b, c, d};
  size_t used = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && used < STORE_PATH_BYTES; ++i) {
    if (parts[i][0] != '\0' || i == 0) {
      used += (size_t)snprintf(path + used, STORE_PATH_BYTES - used, "%s%s", i == 0 ? "" : "/", parts[i]);
    }
  }
}

void store_path(const store_t *store, const char *what, char path[STORE_PATH_BYTES]) {
  join(path, store->folder, "store", what, "");
}

void store_study_path(const store_t *store, const char *study, const char *what, char path[STORE_PATH_BYTES]) {
  join(path, store->folder, study, what, "");
}

void store_result_path(const store_t *store, const char *name, const char *what, char path[STORE_PATH_BYTES]) {
  char folder[STORE_NAME_BYTES + 8];
  snprintf(folder, sizeof folder, "store/%.2s", name);
  join(path, store->folder, folder, name + (name[0] == '\0' ? 0 : 2), what);
}

bool store_has(const store_t *store, const char *name) {
  char path[STORE_PATH_BYTES];
  store_result_path(store, name, "point.json", path);
  return access(path, F_OK) == 0;
}

// --- writing ----------------------------------------------------------------------------------

static bool write_all(int file, const char *bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(file, bytes, count);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes += written;
    count -= (size_t)written;
  }
  return true;
}

// A new file that nobody else writes.
static bool write_file(const char *path, const char *bytes, size_t count, base_error_t *error) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const bool written = file >= 0 && write_all(file, bytes, count);
  const int reason = errno;
  if (file >= 0 && close(file) == 0 && written) {
    return true;
  }
  if (file >= 0) {
    unlink(path);
  }
  return base_fail(error, "%s: cannot write: %s", path, strerror(written ? errno : reason));
}

// A name beside the final one that no other process takes, on any host.
static void temporary(const char *path, char name[STORE_PATH_BYTES]) {
  static unsigned count;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(name, STORE_PATH_BYTES, "%.4000s.%x.%lx.%x", path, (unsigned)getpid(), (unsigned long)now.tv_nsec, ++count);
}

// The folder's time tells those who look that there is something new in it.
static void touch_folder_of(const store_t *store, const char *name) {
  char path[STORE_PATH_BYTES], folder[3];
  snprintf(folder, sizeof folder, "%.2s", name);
  store_path(store, folder, path);
  utimensat(AT_FDCWD, path, NULL, 0);
}

static bool make_result_folder(const store_t *store, const char *name, base_error_t *error) {
  char path[STORE_PATH_BYTES], folder[3];
  store_result_path(store, name, "", path);
  if (mkdir(path, 0777) == 0 || errno == EEXIST) {
    return true;
  }
  snprintf(folder, sizeof folder, "%.2s", name);
  char above[STORE_PATH_BYTES];
  store_path(store, folder, above);
  return make_folder(above, error) && make_folder(path, error);
}

// A file that may be there already.
static bool replace_file(const char *path, const char *bytes, size_t count, base_error_t *error) {
  char made[STORE_PATH_BYTES];
  temporary(path, made);
  if (!write_file(made, bytes, count, error)) {
    return false;
  }
  if (rename(made, path) == 0) {
    return true;
  }
  base_fail(error, "%s: cannot write: %s", path, strerror(errno));
  unlink(made);
  return false;
}

static bool put_log(const store_t *store, const char *name, const char *log, size_t bytes, base_error_t *error) {
  char path[STORE_PATH_BYTES];
  store_result_path(store, name, "log", path);
  return replace_file(path, log, bytes, error);
}

bool store_put(const store_t *store, const char *name, const char *json, const char *log, size_t log_bytes,
               base_error_t *error) {
  char path[STORE_PATH_BYTES], made[STORE_PATH_BYTES];
  store_result_path(store, name, "point.json", path);
  temporary(path, made);
  if (!make_result_folder(store, name, error) || (log != NULL && !put_log(store, name, log, log_bytes, error)) ||
      !write_file(made, json, strlen(json), error)) {
    return false;
  }
  const bool good =
      link(made, path) == 0 || errno == EEXIST || base_fail(error, "%s: cannot write: %s", path, strerror(errno));
  unlink(made);
  if (good) {
    store_result_path(store, name, "tries", path);
    unlink(path);
  }
  touch_folder_of(store, name);
  return good;
}

bool store_put_aside(const store_t *store, const char *name, base_error_t *error) {
  char path[STORE_PATH_BYTES], aside[STORE_PATH_BYTES];
  store_result_path(store, name, "point.json", path);
  store_result_path(store, name, "before.json", aside);
  if (rename(path, aside) != 0 && errno != ENOENT) {
    return base_fail(error, "%s: cannot be put aside: %s", path, strerror(errno));
  }
  touch_folder_of(store, name);
  return true;
}

void store_get_tries(const store_t *store, const char *name, store_tries_t *tries) {
  char path[STORE_PATH_BYTES], text[128];
  store_result_path(store, name, "tries", path);
  host_read_text(path, text, sizeof text);
  if (sscanf(text, "%u %lf %u", &tries->attempts, &tries->needs_mb, &tries->lost) != 3) {
    *tries = (store_tries_t){0};
  }
}

bool store_put_tries(const store_t *store, const char *name, const store_tries_t *tries, base_error_t *error) {
  char path[STORE_PATH_BYTES], text[64];
  const int length = snprintf(text, sizeof text, "%u %.3f %u\n", tries->attempts, tries->needs_mb, tries->lost);
  store_result_path(store, name, "tries", path);
  return make_result_folder(store, name, error) && replace_file(path, text, (size_t)length, error);
}

// --- studies ----------------------------------------------------------------------------------

// Both can be read, and hold other bytes.
static bool differ(const char *path, const char *other) {
  char name[2][STORE_NAME_BYTES];
  digest_t digest = {0};
  bool good = true;
  for (size_t i = 0; i < 2; ++i) {
    digest_begin(&digest);
    good = digest_file(&digest, "study", i == 0 ? path : other) && good;
    digest_name(&digest, name[i]);
  }
  digest_free(&digest);
  return good && strcmp(name[0], name[1]) != 0;
}

bool store_is_of(const store_t *store, const char *study, const char *file, base_error_t *error) {
  char path[STORE_PATH_BYTES], owner[STORE_PATH_BYTES], here[PATH_MAX];
  store_study_path(store, study, "study", path);
  host_read_text(path, owner, sizeof owner);
  owner[strcspn(owner, "\n")] = '\0';
  if (owner[0] == '\0' || realpath(file, here) == NULL || strcmp(owner, here) == 0 || !differ(owner, here)) {
    return true;
  }
  return base_fail(
      error, "%s: %s/%s is the folder of another study of this name, %s; expected another name, or another --store",
      file, store->folder, study, owner);
}

static bool note_file(const store_t *store, const char *study, const char *file, base_error_t *error) {
  char path[STORE_PATH_BYTES], here[PATH_MAX + 1];
  store_study_path(store, study, "study", path);
  if (realpath(file, here) == NULL) {
    return base_fail(error, "%s: cannot read: %s", file, strerror(errno));
  }
  const size_t length = strlen(here);
  here[length] = '\n';
  return replace_file(path, here, length + 1, error);
}

bool store_note_points(const store_t *store, const char *study, const char *file, char (*name)[STORE_NAME_BYTES],
                       size_t count, base_error_t *error) {
  char path[STORE_PATH_BYTES];
  store_study_path(store, study, "", path);
  char *text = malloc(count * STORE_NAME_BYTES + 1);
  if (text == NULL) {
    return base_fail(error, "out of memory");
  }
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    if (name[i][0] != '\0') {
      memcpy(text + used, name[i], STORE_NAME_BYTES - 1);
      text[used + STORE_NAME_BYTES - 1] = '\n';
      used += STORE_NAME_BYTES;
    }
  }
  bool good = make_folder(path, error) && note_file(store, study, file, error);
  store_study_path(store, study, "points", path);
  good = good && replace_file(path, text, used, error);
  free(text);
  return good;
}
