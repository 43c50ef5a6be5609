// SPDX-License-Identifier: Apache-2.0
#include "base/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"

// A pipe without a name has no real path.
static bool is_named(const char *path) {
  char *real = realpath(path, NULL);
  free(real);
  return real != NULL;
}

bool input_check(const char *path, base_error_t *error) {
  struct stat status;
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    return base_fail(error, "%s: %s", path, strerror(EISDIR));
  }
  if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode) && is_named(path)) {
    return base_fail(error, "%s: a FIFO; expected a file", path);
  }
  return output_spares(path, error);
}

FILE *input_open(const char *path, base_error_t *error) {
  if (!input_check(path, error)) {
    return NULL;
  }
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    base_fail(error, "%s: %s", path, strerror(errno));
  }
  return file;
}
