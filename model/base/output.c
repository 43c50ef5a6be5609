// SPDX-License-Identifier: Apache-2.0
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "host/files.h"
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

// --- where it goes ----------------------------------------------------------------------------

static bool no_memory(base_error_t *error) { return base_fail(error, "out of memory"); }

// A text in new memory, NULL: none.
__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&text, &bytes);
  if (file == NULL) {
    return NULL;
  }
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  if (fclose(file) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

// The descriptor that a name stands for, -1: none. It is written through itself: opened by name once more, a file
// would be cut, and written at a place of its own.
static int descriptor_of(const char *path) {
  static const struct {
    const char *name;
    int descriptor;
  } names[] = {{"-", STDOUT_FILENO}, {"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}};
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strcmp(path, names[i].name) == 0) {
      return names[i].descriptor;
    }
  }
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    const size_t length = strlen(folders[i]);
    uint64_t number;
    if (strncmp(path, folders[i], length) == 0 && parse_count(path + length, &number) && number < INT_MAX) {
      return (int)number;
    }
  }
  return -1;
}

static char *copy_of_directory(const char *path) {
  char *copy = strdup(path);
  char *directory = copy == NULL ? NULL : strdup(dirname(copy));
  free(copy);
  return directory;
}

static char *read_link(const char *path) {
  char name[PATH_MAX];
  const ssize_t length = readlink(path, name, sizeof name - 1);
  if (length < 0) {
    return NULL;
  }
  name[length] = '\0';
  char *directory = name[0] == '/' ? NULL : copy_of_directory(path);
  char *target = directory == NULL ? strdup(name) : text_of("%s/%s", directory, name);
  free(directory);
  return target;
}

// Resolves the path of a file that does not exist yet.
static char *resolve_new(const char *path) {
  char *given = copy_of_directory(path);
  char *directory = given == NULL ? NULL : realpath(given, NULL);
  const char *slash = strrchr(path, '/');
  char *target = directory == NULL ? NULL : text_of("%s/%s", directory, slash == NULL ? path : slash + 1);
  free(given);
  free(directory);
  return target;
}

// The path without symbolic links, so that two spellings of a file are one; NULL: errno says why.
static char *resolve(const char *path, bool exists) {
  if (exists) {
    return realpath(path, NULL);
  }
  char *at = strdup(path);
  for (char *next; at != NULL && (next = read_link(at)) != NULL; at = next) {  // links to what is not there
    free(at);
  }
  char *target = at == NULL ? NULL : resolve_new(at);
  free(at);
  return target;
}

static void release(output_t *output) {
  if (output->alone) {
    host_file_done(&output->status);
  }
  if (output->file != NULL) {
    fclose(output->file);
  }
  if (output->descriptor >= 0) {
    close(output->descriptor);
  }
  free(output->given);
  free(output->target);
  free(output->temporary);
  free(output->folder);
  memset(output, 0, sizeof *output);
  output->descriptor = -1;
}

static bool make_file(const char *path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 || close(file) == 0) {
    return file >= 0;
  }
  const int why = errno;
  unlink(path);
  errno = why;
  return false;
}

// Makes it, which shows that the place is fit: a new file, through nobody's link.
static bool make_temporary(const output_t *output, base_error_t *error) {
  return make_file(output->temporary) ||
         (errno == EEXIST && unlink(output->temporary) == 0 && make_file(output->temporary)) ||
         base_fail(error, "%s: %s", output->given, strerror(errno));
}

// A long name is cut, so that it still is a name with what is put behind it.
static char *name_beside(const char *target) {
  enum { NAME_BYTES = 200 };
  const char *base = strrchr(target, '/') + 1;
  return text_of("%.*s%.*s.part-%ld", (int)(base - target), target, NAME_BYTES, base, (long)getpid());
}

static bool prepare_file(output_t *output, base_error_t *error) {
  const char *path = output->given;
  output->exists = stat(path, &output->status) == 0;
  if (!output->exists && path[0] != '\0' && errno != ENOENT) {
    return base_fail(error, "%s: %s", path, strerror(errno));
  }
  if (path[0] == '\0' || (output->exists && S_ISDIR(output->status.st_mode)) ||
      (!output->exists && path[strlen(path) - 1] == '/')) {
    return base_fail(error, "%s: %s", path, path[0] == '\0' ? "empty file name" : strerror(EISDIR));
  }
  if (output->exists && !S_ISREG(output->status.st_mode) && !S_ISFIFO(output->status.st_mode) &&
      !S_ISCHR(output->status.st_mode)) {
    return base_fail(error, "%s: expected a file, a FIFO or a character device", path);
  }
  if (output->exists && access(path, W_OK) != 0) {
    return base_fail(error, "%s: %s", path, strerror(errno));
  }
  output->target = resolve(path, output->exists);
  return output->target != NULL || base_fail(error, "%s: %s", path, strerror(errno));
}

static bool prepare_descriptor(output_t *output, int descriptor, base_error_t *error) {
  output->target = text_of("/dev/fd/%d", descriptor);
  if (output->target == NULL) {
    return no_memory(error);
  }
  fflush(stdout);
  output->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return (output->descriptor >= 0 && (fcntl(output->descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY) ||
         base_fail(error, "%s: %s", output->given, strerror(EBADF));
}

// The target is neither an input nor another output.
static bool check_alone(const outputs_t *outputs, output_t *output, base_error_t *error) {
  static const char twice[] = "%s: named for two outputs";
  for (size_t i = 0; i < outputs->count; ++i) {
    if (strcmp(outputs->list[i].target, output->target) == 0 && !(output->exists && S_ISCHR(output->status.st_mode))) {
      return base_fail(error, twice, output->given);
    }
  }
  switch (output->exists ? host_file_writes(&output->status) : HOST_FILE_FREE) {
    case HOST_FILE_READ:
      return base_fail(error, "%s: is read, and so cannot be an output", output->given);
    case HOST_FILE_WRITTEN:
      return base_fail(error, twice, output->given);
    default:
      break;
  }
  output->alone = output->exists;
  return true;
}

static bool prepare(const outputs_t *outputs, output_t *output, const char *path, base_error_t *error) {
  const int descriptor = descriptor_of(path);
  output->descriptor = -1;
  output->given = strdup(path);
  if (output->given == NULL) {
    return no_memory(error);
  }
  if (!(descriptor >= 0 ? prepare_descriptor(output, descriptor, error) : prepare_file(output, error)) ||
      !check_alone(outputs, output, error)) {
    return false;
  }
  if (descriptor == STDOUT_FILENO) {
    return dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 || base_fail(error, "%s: %s", path, strerror(errno));
  }
  if (descriptor >= 0 || (output->exists && !S_ISREG(output->status.st_mode))) {
    return true;
  }
  output->temporary = name_beside(output->target);
  return output->temporary != NULL || no_memory(error);
}

static void leave_last(outputs_t *outputs) {
  if (outputs->count == 1) {
    delist(outputs);
  }
  --outputs->count;
  release(&outputs->list[outputs->count]);
}

bool outputs_add(outputs_t *outputs, const char *path, size_t *index, base_error_t *error) {
  if (outputs->count == OUTPUTS_MAX) {
    return base_fail(error, "%s: more than %d output files", path, OUTPUTS_MAX);
  }
  output_t *output = &outputs->list[outputs->count];
  memset(output, 0, sizeof *output);
  if (!prepare(outputs, output, path, error)) {
    release(output);
    return false;
  }
  *index = outputs->count++;
  if (*index == 0) {
    enlist(outputs);
  }
  if (output->temporary != NULL && !make_temporary(output, error)) {
    leave_last(outputs);
    return false;
  }
  return true;
}

bool outputs_stage(outputs_t *outputs, size_t index, base_error_t *error) {
  output_t *output = &outputs->list[index];
  if (output->temporary != NULL) {
    return true;
  }
  output->folder = host_new_folder();
  if (output->folder == NULL) {
    return base_fail(error, "%s: no folder for a temporary file: %s", output->given, strerror(errno));
  }
  output->temporary = text_of("%s/output", output->folder);
  return output->temporary != NULL ? make_temporary(output, error) : no_memory(error);
}

// --- writing ----------------------------------------------------------------------------------

const char *outputs_path(const outputs_t *outputs, size_t index) { return outputs->list[index].temporary; }

static FILE *open_target(const output_t *output) {
  return output->descriptor < 0 ? fopen(output->target, "wb") : fdopen(dup(output->descriptor), "wb");
}

FILE *outputs_open(outputs_t *outputs, size_t index, base_error_t *error) {
  output_t *output = &outputs->list[index];
  output->file = output->temporary == NULL ? open_target(output) : fopen(output->temporary, "wb");
  if (output->file == NULL) {
    base_fail(error, "%s: %s", output->given, strerror(errno));
  }
  return output->file;
}

void outputs_written(outputs_t *outputs, size_t index) {
  output_t *output = &outputs->list[index];
  struct stat status;
  output->written = stat(output->temporary, &status) == 0 && status.st_size > 0;
}

static bool close_one(output_t *output, base_error_t *error) {
  if (output->file == NULL) {
    return true;
  }
  output->written = host_close_written(output->file);
  output->file = NULL;
  return output->written || base_fail(error, "%s: %s", output->given, strerror(errno));
}

// To what cannot be replaced by a temporary file.
static bool copy(output_t *output) {
  char bytes[1 << 16];
  FILE *from = fopen(output->temporary, "rb");
  output->file = from == NULL ? NULL : open_target(output);
  bool good = output->file != NULL;
  for (size_t got; good && (got = fread(bytes, 1, sizeof bytes, from)) > 0;) {
    good = fwrite(bytes, 1, got, output->file) == got;
  }
  good = good && !ferror(from);
  if (from != NULL) {
    fclose(from);
  }
  return good;
}

static bool copy_one(output_t *output, base_error_t *error) {
  if (!output->written || output->folder == NULL) {
    return true;
  }
  return copy(output) ? close_one(output, error) : base_fail(error, "%s: %s", output->given, strerror(errno));
}

// A file that was there stays as open to others as it was.
static bool move_one(output_t *output, base_error_t *error) {
  if (!output->written || output->temporary == NULL || output->folder != NULL) {
    return true;
  }
  if (output->exists) {
    chmod(output->temporary, output->status.st_mode & 0777);
  }
  output->moved = rename(output->temporary, output->target) == 0;
  return output->moved || base_fail(error, "%s: %s", output->given, strerror(errno));
}

static bool commit_all(outputs_t *outputs, base_error_t *error) {
  for (size_t i = 0; i < outputs->count; ++i) {
    if (!close_one(&outputs->list[i], error) || !copy_one(&outputs->list[i], error)) {
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

// Removes files that are not wanted, or no longer needed. A signal's handler may call it, too.
static void remove_files(const outputs_t *outputs, bool wanted) {
  for (size_t i = 0; i < outputs->count; ++i) {
    const output_t *output = &outputs->list[i];
    if (output->temporary != NULL && !(output->moved && wanted)) {
      unlink(output->moved ? output->target : output->temporary);
    }
    if (output->folder != NULL) {
      rmdir(output->folder);
    }
  }
}

void outputs_remove_begun(void) {
  for (const outputs_t *outputs = begun; outputs != NULL; outputs = outputs->next) {
    remove_files(outputs, false);
  }
}

static void empty(outputs_t *outputs) {
  if (outputs->count > 0) {
    delist(outputs);
  }
  for (size_t i = 0; i < outputs->count; ++i) {
    release(&outputs->list[i]);
  }
  outputs->count = 0;
}

// Moves them to their names, or removes them. Ctrl-C waits until that is settled.
static bool settle(outputs_t *outputs, bool wanted, base_error_t *error) {
  host_hold_interrupts();
  const bool good = wanted && commit_all(outputs, error);
  remove_files(outputs, good);
  empty(outputs);
  host_release_interrupts();
  return good;
}

bool outputs_commit(outputs_t *outputs, base_error_t *error) { return settle(outputs, true, error); }

void outputs_discard(outputs_t *outputs) { settle(outputs, false, NULL); }

bool output_spares(const char *path, base_error_t *error) {
  return host_file_reads(path) || base_fail(error, "%s: is named for an output, too", path);
}

bool output_printed(base_error_t *error) {
  return (fflush(stdout) == 0 && !ferror(stdout)) || base_fail(error, "standard output: cannot write");
}
