// SPDX-License-Identifier: Apache-2.0
#include "host/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct noted {
  dev_t device;
  ino_t file;  // its number there: other names and links do not change it
  host_use_t use;
} noted_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static noted_t *list;
static size_t count, room;

static noted_t *find(const struct stat *status) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i].device == status->st_dev && list[i].file == status->st_ino) {
      return &list[i];
    }
  }
  return NULL;
}

static void add(const struct stat *status, host_use_t use) {
  if (count == room) {
    const size_t more = room == 0 ? 32 : 2 * room;
    noted_t *larger = realloc(list, more * sizeof *larger);
    if (larger == NULL) {
      return;  // whoever goes on without memory will say so
    }
    list = larger;
    room = more;
  }
  list[count++] = (noted_t){status->st_dev, status->st_ino, use};
}

// Returns the earlier use.
static host_use_t note(const struct stat *status, host_use_t use) {
  pthread_mutex_lock(&lock);
  const noted_t *known = find(status);
  const host_use_t before = known == NULL ? HOST_FILE_FREE : known->use;
  if (known == NULL) {
    add(status, use);
  }
  pthread_mutex_unlock(&lock);
  return before;
}

static bool is_device(const struct stat *status) { return S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode); }

bool host_file_reads(const char *path) {
  struct stat status;
  return stat(path, &status) != 0 || is_device(&status) || note(&status, HOST_FILE_READ) != HOST_FILE_WRITTEN;
}

host_use_t host_file_writes(const struct stat *status) {
  return is_device(status) ? HOST_FILE_FREE : note(status, HOST_FILE_WRITTEN);
}

void host_file_done(const struct stat *status) {
  pthread_mutex_lock(&lock);
  noted_t *known = find(status);
  if (known != NULL && known->use == HOST_FILE_WRITTEN) {
    *known = list[--count];
  }
  pthread_mutex_unlock(&lock);
}

void host_keep_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) < 0) {  // the lowest that is free is the one that open takes
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

char *host_new_folder(void) {
  const char *given = getenv("TMPDIR");
  char *folder = NULL;
  if (asprintf(&folder, "%s/amalgam-XXXXXX", given == NULL || given[0] == '\0' ? "/tmp" : given) < 0) {
    return NULL;
  }
  if (mkdtemp(folder) == NULL) {
    free(folder);
    return NULL;
  }
  return folder;
}

bool host_read_text(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "re");
  text[file == NULL ? 0 : fread(text, 1, size - 1, file)] = '\0';
  return file != NULL && fclose(file) == 0;
}

// Why an earlier write failed is not known any more, but it still would: a byte more tells.
static bool is_written(FILE *file) {
  const bool failed_before = ferror(file) != 0;
  errno = 0;
  const bool good = (!failed_before || fputc(0, file) != EOF) && fflush(file) == 0;
  errno = errno == 0 ? EIO : errno;
  return good && !failed_before;
}

bool host_close_written(FILE *file) {
  const bool written = is_written(file);
  const int why = errno;
  const bool closed = fclose(file) == 0;
  errno = written ? errno : why;
  return written && closed;
}

void host_remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    unlinkat(dirfd(folder), entry->d_name, 0);  // no folders, and so neither . nor ..
  }
  if (folder != NULL) {
    closedir(folder);
  }
  rmdir(path);
}
