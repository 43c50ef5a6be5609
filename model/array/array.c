// SPDX-License-Identifier: Apache-2.0
#include "array/array.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "array/array_internal.h"

typedef bool reader_t(const array_name_t *name, unsigned accepted, npy_array_t *array, base_error_t *error);

static const struct {
  const char *ending;
  reader_t *read;
} kinds[] = {{".npz", array_read_npz}, {".safetensors", array_read_safetensors}};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Length of the file's name: up to the first ENDING before a colon, or at the end. 0: the name is not of this kind.
static size_t length_of(const char *name, const char *ending) {
  const size_t length = strlen(ending);
  for (const char *at = strstr(name, ending); at != NULL; at = strstr(at + 1, ending)) {
    if (at[length] == ':' || at[length] == '\0') {
      return (size_t)(at - name) + length;
    }
  }
  return 0;
}

size_t array_file_length(const char *name) {
  for (size_t i = 0; i < KINDS; ++i) {
    const size_t length = length_of(name, kinds[i].ending);
    if (length > 0 && name[length] == ':' && access(name, F_OK) != 0) {
      return length;
    }
  }
  return strlen(name);
}

static bool read_standard_input(unsigned accepted, npy_array_t *array, base_error_t *error) {
  static bool read;
  if (read) {
    return base_fail(error, "-: standard input holds one array, and has been read; expected a file");
  }
  if (isatty(STDIN_FILENO)) {
    return base_fail(error, "-: standard input is a terminal; expected an array in the form .npy");
  }
  read = true;
  return npy_read_stream(stdin, "standard input", NPY_UNKNOWN_SIZE, accepted, array, error);
}

bool array_read(const char *name, unsigned accepted, npy_array_t *array, base_error_t *error) {
  memset(array, 0, sizeof *array);
  if (strcmp(name, "-") == 0) {
    return read_standard_input(accepted, array, error);
  }
  for (size_t i = 0; i < KINDS; ++i) {
    const size_t length = length_of(name, kinds[i].ending);
    if (length == 0 || (name[length] == ':' && access(name, F_OK) == 0)) {
      continue;
    }
    array_name_t parts = {.whole = name, .array = name + length + (name[length] == ':' ? 1 : 0)};
    if (length >= sizeof parts.file) {
      return base_fail(error, "%.80s...: name too long", name);
    }
    snprintf(parts.file, sizeof parts.file, "%.*s", (int)length, name);
    return kinds[i].read(&parts, accepted, array, error);
  }
  return npy_read(name, accepted, array, error);
}

static bool narrow(const char *name, npy_array_t *array, base_error_t *error) {
  const int64_t *wide = array->data;
  int32_t *narrow = array->data;
  for (size_t i = 0; i < npy_count(array); ++i) {
    if (wide[i] < INT32_MIN || wide[i] > INT32_MAX) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %lld at %s; expected numbers of 32 bits", name, (long long)wide[i],
                       npy_index_text(array, i, where));
    }
    memcpy(narrow + i, &(int32_t){(int32_t)wide[i]}, sizeof *narrow);
  }
  array->type = NPY_I4;
  return true;
}

bool array_read_i4(const char *name, npy_array_t *array, base_error_t *error) {
  if (!array_read(name, NPY_BIT(I4) | NPY_BIT(I8), array, error)) {
    return false;
  }
  if (array->type == NPY_I4 || narrow(name, array, error)) {
    return true;
  }
  npy_free(array);
  return false;
}
