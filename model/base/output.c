// SPDX-License-Identifier: Apache-2.0
#include "base/output.h"

#include <errno.h>
#include <libgen.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/interrupt.h"

// All that have begun something, for outputs_remove_begun: a signal's handler reads this list, so each
// change leaves it whole at every moment.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static outputs_t *_Atomic begun;

static void enlist(outputs_t *outputs) {
  pthread_mutex_lock(&lock);
  outputs->next = begun;
  begun = outputs;
  pthread_mutex_unlock(&lock);
}

static void delist(outputs_t *outputs) {
  pthread_mutex_lock(&lock);
  if (begun == outputs) {
    begun = outputs->next;
  }
  for (outputs_t *at = begun; at != NULL; at = at->next) {
    at->next = at->next == outputs ? outputs->next : at->next;
  }
  pthread_mutex_unlock(&lock);
}

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

// Devices, pipes and /dev/stdout are written in place: there is nothing to rename.
static bool in_place(const char *path, const struct stat *status) {
  return !S_ISREG(status->st_mode) || starts_with(path, "/dev/") || starts_with(path, "/proc/");
}

static bool check_directory(const char *target, const char *given, base_error_t *error) {
  char *copy = strdup(target);
  struct stat status;
  const char *directory = copy == NULL ? "." : dirname(copy);
  bool good = true;
  if (stat(directory, &status) != 0) {
    good = base_fail(error, "%s: %s", given, strerror(errno));
  } else if (!S_ISDIR(status.st_mode)) {
    good = base_fail(error, "%s: %s", given, strerror(ENOTDIR));
  } else if (access(directory, W_OK | X_OK) != 0) {
    good = base_fail(error, "%s: %s", given, strerror(errno));
  }
  free(copy);
  return good;
}

// The path without symbolic links, so that two spellings of a file are one; NULL: errno says why.
static char *resolve(const char *path, bool exists) {
  if (exists) {
    return realpath(path, NULL);
  }
  char *for_directory = strdup(path);
  char *for_base = strdup(path);
  char *directory = for_directory == NULL ? NULL : realpath(dirname(for_directory), NULL);
  char *target = NULL;
  if (directory != NULL && for_base != NULL) {
    const char *base = basename(for_base);
    const size_t size = strlen(directory) + strlen(base) + 2;
    target = malloc(size);
    if (target != NULL) {
      snprintf(target, size, "%s/%s", directory, base);
    }
  }
  free(for_directory);
  free(for_base);
  free(directory);
  return target;
}

static void release(output_t *output) {
  free(output->target);
  free(output->temporary);
  memset(output, 0, sizeof *output);
}

static bool prepare(output_t *output, base_error_t *error) {
  const char *path = output->given;
  struct stat status;
  const bool exists = stat(path, &status) == 0;
  if (path[0] == '\0' || (exists && S_ISDIR(status.st_mode))) {
    return base_fail(error, "%s: %s", path, path[0] == '\0' ? "empty file name" : strerror(EISDIR));
  }
  if (exists && in_place(path, &status)) {
    output->target = strdup(path);
    return output->target != NULL || base_fail(error, "out of memory");
  }
  output->target = resolve(path, exists);
  if (output->target == NULL) {
    return base_fail(error, "%s: %s", path, strerror(errno));
  }
  if (path[strlen(path) - 1] == '/') {
    return base_fail(error, "%s: %s", path, strerror(EISDIR));
  }
  const size_t size = strlen(output->target) + 32;
  output->temporary = malloc(size);
  if (output->temporary == NULL) {
    return base_fail(error, "out of memory");
  }
  snprintf(output->temporary, size, "%s.part-%ld", output->target, (long)getpid());
  return check_directory(output->target, path, error);
}

bool outputs_add(outputs_t *outputs, const char *path, size_t *index, base_error_t *error) {
  if (outputs->count == OUTPUTS_MAX) {
    return base_fail(error, "%s: more than %d output files", path, OUTPUTS_MAX);
  }
  output_t *output = &outputs->list[outputs->count];
  memset(output, 0, sizeof *output);
  output->given = path;
  bool good = prepare(output, error);
  for (size_t i = 0; good && i < outputs->count; ++i) {
    if (output->temporary != NULL && strcmp(outputs->list[i].target, output->target) == 0) {
      good = base_fail(error, "%s: named for two outputs", path);
    }
  }
  if (!good) {
    release(output);
    return false;
  }
  *index = outputs->count++;
  if (*index == 0) {
    enlist(outputs);
  }
  return true;
}

const char *outputs_path(const outputs_t *outputs, size_t index) {
  const output_t *output = &outputs->list[index];
  return output->temporary != NULL ? output->temporary : output->target;
}

FILE *outputs_open(outputs_t *outputs, size_t index, base_error_t *error) {
  output_t *output = &outputs->list[index];
  output->file = fopen(outputs_path(outputs, index), "wb");
  if (output->file == NULL) {
    base_fail(error, "%s: %s", output->given, strerror(errno));
  }
  return output->file;
}

void outputs_written(outputs_t *outputs, size_t index) { outputs->list[index].written = true; }

static bool close_one(output_t *output, base_error_t *error) {
  if (output->file == NULL) {
    return true;
  }
  errno = 0;
  const bool flushed = fflush(output->file) == 0 && !ferror(output->file);
  const int reason = errno;
  const bool closed = fclose(output->file) == 0;
  output->file = NULL;
  output->written = flushed && closed;
  if (!output->written) {
    const int code = flushed ? errno : reason;
    return base_fail(error, "%s: %s", output->given, code == 0 ? "write error" : strerror(code));
  }
  return true;
}

static bool move_one(output_t *output, base_error_t *error) {
  if (!output->written || output->temporary == NULL) {
    return true;
  }
  output->moved = rename(output->temporary, output->target) == 0;
  return output->moved || base_fail(error, "%s: %s", output->given, strerror(errno));
}

static bool commit_all(outputs_t *outputs, base_error_t *error) {
  for (size_t i = 0; i < outputs->count; ++i) {
    if (!close_one(&outputs->list[i], error)) {
      return false;
    }
  }
  for (size_t i = 0; i < outputs->count; ++i) {
    if (!move_one(&outputs->list[i], error)) {
      return false;
    }
  }
  return true;
}

// For a signal's handler too.
static void remove_files(const outputs_t *outputs) {
  for (size_t i = 0; i < outputs->count; ++i) {
    const output_t *output = &outputs->list[i];
    if (output->temporary != NULL) {
      unlink(output->moved ? output->target : output->temporary);
    }
  }
}

void outputs_remove_begun(void) {
  for (const outputs_t *outputs = begun; outputs != NULL; outputs = outputs->next) {
    remove_files(outputs);
  }
}

static void empty(outputs_t *outputs) {
  if (outputs->count > 0) {
    delist(outputs);
  }
  for (size_t i = 0; i < outputs->count; ++i) {
    if (outputs->list[i].file != NULL) {
      fclose(outputs->list[i].file);
    }
    release(&outputs->list[i]);
  }
  outputs->count = 0;
}

// Moves them to their names, or removes them. Ctrl-C waits until that is settled.
static bool settle(outputs_t *outputs, bool wanted, base_error_t *error) {
  host_hold_interrupts();
  const bool good = wanted && commit_all(outputs, error);
  if (!good) {
    remove_files(outputs);
  }
  empty(outputs);
  host_release_interrupts();
  return good;
}

bool outputs_commit(outputs_t *outputs, base_error_t *error) {
  return settle(outputs, true, error);
}

void outputs_discard(outputs_t *outputs) { settle(outputs, false, NULL); }

bool output_printed(base_error_t *error) {
  return (fflush(stdout) == 0 && !ferror(stdout)) ||
         base_fail(error, "standard output: cannot write");
}
