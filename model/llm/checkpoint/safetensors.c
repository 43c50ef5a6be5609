// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/json.h"

// As the format's own reader has it.
enum { LENGTH_BYTES = 8, MAX_HEADER = 100000000 };

struct safetensors {
  char *path;
  int number;           // of the open file
  uint64_t data, size;  // where tensors begin, and how many bytes they are
  cJSON *header;        // holds the names
  size_t count;
  safetensors_entry_t *entries;
};

static const struct {
  const char *name;
  size_t bytes;
} types[] = {
#define SAFETENSORS_TYPE(name, bytes) {#name, bytes},
    SAFETENSORS_TYPES(SAFETENSORS_TYPE)
#undef SAFETENSORS_TYPE
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

const char *safetensors_type_name(safetensors_type_t type) { return types[type].name; }
size_t safetensors_type_bytes(safetensors_type_t type) { return types[type].bytes; }
const char *safetensors_path(const safetensors_t *file) { return file->path; }
size_t safetensors_count(const safetensors_t *file) { return file->count; }

const safetensors_entry_t *safetensors_at(const safetensors_t *file, size_t index) { return &file->entries[index]; }

// --- reading bytes ----------------------------------------------------------------------------

static bool read_at(const safetensors_t *file, uint64_t at, size_t bytes, void *out, base_error_t *error) {
  char *end = out;
  while (bytes > 0) {
    const ssize_t got = pread(file->number, end, bytes, (off_t)at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return base_fail(error, "%s: %s", file->path, got < 0 ? strerror(errno) : "the file has become shorter");
    }
    end += got;
    at += (uint64_t)got;
    bytes -= (size_t)got;
  }
  return true;
}

bool safetensors_read(const safetensors_t *file, const safetensors_entry_t *entry, uint64_t first, size_t bytes,
                      void *out, base_error_t *error) {
  return read_at(file, file->data + entry->begin + first, bytes, out, error);
}

// --- one tensor's entry -----------------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static bool refuse(const safetensors_t *file, const safetensors_entry_t *entry,
                                                         base_error_t *error, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return base_fail(error, "%s: tensor '%.200s': %s", file->path, entry->name, text);
}

#define SAFETENSORS_TYPE(name, bytes) " " #name
static bool take_type(const safetensors_t *file, const cJSON *object, safetensors_entry_t *entry, base_error_t *error) {
  const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "dtype"));
  for (unsigned i = 0; name != NULL && i < TYPE_COUNT; ++i) {
    if (strcmp(name, types[i].name) == 0) {
      entry->type = (safetensors_type_t)i;
      return true;
    }
  }
  return refuse(file, entry, error, "dtype '%.40s'; expected one of" SAFETENSORS_TYPES(SAFETENSORS_TYPE),
                name == NULL ? "" : name);
}
#undef SAFETENSORS_TYPE

// Numbers of an array in JSON, at most `most` of them; -1: it is none.
static int take_counts(const cJSON *array, size_t most, uint64_t *counts) {
  int count = 0;
  const cJSON *item;
  if (!cJSON_IsArray(array)) {
    return -1;
  }
  cJSON_ArrayForEach(item, array) {
    if ((size_t)count == most || !json_count(item, &counts[count])) {
      return -1;
    }
    ++count;
  }
  return count;
}

// The bytes that its shape needs. False: more than a file can have.
static bool shape_bytes(const safetensors_entry_t *entry, uint64_t *bytes) {
  *bytes = safetensors_type_bytes(entry->type);
  bool fits = true;
  for (size_t i = 0; i < entry->dims; ++i) {
    fits = fits && (entry->shape[i] == 0 || *bytes <= UINT64_MAX / 2 / entry->shape[i]);
    *bytes = fits ? *bytes * entry->shape[i] : 0;
  }
  return fits;
}

static bool take_entry(const safetensors_t *file, const cJSON *object, safetensors_entry_t *entry,
                       base_error_t *error) {
  uint64_t offsets[2], bytes;
  entry->name = object->string;
  if (!cJSON_IsObject(object)) {
    return refuse(file, entry, error, "no JSON object; expected dtype, shape and data_offsets");
  }
  if (!take_type(file, object, entry, error)) {
    return false;
  }
  const int dims = take_counts(cJSON_GetObjectItemCaseSensitive(object, "shape"), SAFETENSORS_MAX_DIMS, entry->shape);
  if (dims < 0) {
    return refuse(file, entry, error, "no shape; expected an array of at most %d sizes", SAFETENSORS_MAX_DIMS);
  }
  entry->dims = (size_t)dims;
  if (take_counts(cJSON_GetObjectItemCaseSensitive(object, "data_offsets"), 2, offsets) != 2) {
    return refuse(file, entry, error, "no data_offsets; expected [begin, end]");
  }
  if (offsets[0] > offsets[1] || offsets[1] > file->size) {
    return refuse(file, entry, error, "bytes %llu to %llu; the file has 0 to %llu", (unsigned long long)offsets[0],
                  (unsigned long long)offsets[1], (unsigned long long)file->size);
  }
  entry->begin = offsets[0];
  entry->bytes = offsets[1] - offsets[0];
  if (!shape_bytes(entry, &bytes) || bytes != entry->bytes) {
    return refuse(file, entry, error, "%llu bytes; its shape and dtype %s need others",
                  (unsigned long long)entry->bytes, safetensors_type_name(entry->type));
  }
  return true;
}

// --- all of them ------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
  const safetensors_entry_t *x = a, *y = b;
  const uint64_t x_end = x->begin + x->bytes, y_end = y->begin + y->bytes;
  return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : (x_end > y_end) - (x_end < y_end);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const safetensors_entry_t *)a)->name, ((const safetensors_entry_t *)b)->name);
}

// End to end, from the first byte of the data to the last.
static bool check_places(safetensors_t *file, base_error_t *error) {
  uint64_t end = 0;
  qsort(file->entries, file->count, sizeof *file->entries, by_place);
  for (size_t i = 0; i < file->count; ++i) {
    const safetensors_entry_t *entry = &file->entries[i];
    if (entry->begin != end) {
      return refuse(file, entry, error, "begins at byte %llu, %s; expected %llu", (unsigned long long)entry->begin,
                    entry->begin < end ? "within another" : "after a hole", (unsigned long long)end);
    }
    end += entry->bytes;
  }
  return end == file->size || base_fail(error, "%s: %llu bytes of data; its tensors have %llu", file->path,
                                        (unsigned long long)file->size, (unsigned long long)end);
}

static bool take_entries(safetensors_t *file, base_error_t *error) {
  const cJSON *item;
  file->entries = calloc((size_t)cJSON_GetArraySize(file->header) + 1, sizeof *file->entries);
  if (file->entries == NULL) {
    return base_fail(error, "%s: out of memory", file->path);
  }
  cJSON_ArrayForEach(item, file->header) {
    if (strcmp(item->string, "__metadata__") != 0 && !take_entry(file, item, &file->entries[file->count++], error)) {
      return false;
    }
  }
  const bool good = check_places(file, error);
  qsort(file->entries, file->count, sizeof *file->entries, by_name);
  return good;
}

const safetensors_entry_t *safetensors_find(const safetensors_t *file, const char *name) {
  const safetensors_entry_t key = {.name = name};
  return bsearch(&key, file->entries, file->count, sizeof key, by_name);
}

// --- the header -------------------------------------------------------------------------------

static bool parse_header(safetensors_t *file, const char *text, size_t length, base_error_t *error) {
  const char *end = NULL;
  file->header = text[0] == '{' ? cJSON_ParseWithLengthOpts(text, length, &end, false) : NULL;
  const size_t used = file->header == NULL ? 0 : (size_t)(end - text);
  const bool good = file->header != NULL && strspn(end, " \t\r\n") == length - used;
  if (!good) {
    return base_fail(error, "%s: its header is no JSON object", file->path);
  }
  const char *doubled = json_doubled(file->header);
  return doubled == NULL || base_fail(error, "%s: '%.100s' is given twice in its header", file->path, doubled);
}

static bool read_header(safetensors_t *file, size_t length, base_error_t *error) {
  char *text = malloc(length + 1);
  if (text == NULL) {
    return base_fail(error, "%s: out of memory (%zu bytes)", file->path, length);
  }
  text[length] = '\0';
  const bool good = read_at(file, LENGTH_BYTES, length, text, error) && parse_header(file, text, length, error);
  free(text);
  return good;
}

static bool read_file(safetensors_t *file, base_error_t *error) {
  uint8_t bytes[LENGTH_BYTES] = {0};
  uint64_t length = 0;
  struct stat status;
  if (fstat(file->number, &status) != 0 || !S_ISREG(status.st_mode)) {
    return base_fail(error, "%s: expected a regular file", file->path);
  }
  const uint64_t size = (uint64_t)status.st_size;
  if (size <= LENGTH_BYTES) {
    return base_fail(error, "%s: %llu bytes; not a safetensors file", file->path, (unsigned long long)size);
  }
  if (!read_at(file, 0, LENGTH_BYTES, bytes, error)) {
    return false;
  }
  for (unsigned i = LENGTH_BYTES; i-- > 0;) {
    length = length << 8 | bytes[i];
  }
  if (memcmp(bytes, "version ", LENGTH_BYTES) == 0) {
    return base_fail(error, "%s: a pointer of Git LFS; expected the file that it stands for (git lfs pull)",
                     file->path);
  }
  if (length == 0 || length > MAX_HEADER || length > size - LENGTH_BYTES) {
    return base_fail(error, "%s: header of %llu bytes in a file of %llu; expected 1 to %d, and not beyond its end",
                     file->path, (unsigned long long)length, (unsigned long long)size, MAX_HEADER);
  }
  file->data = LENGTH_BYTES + length;
  file->size = size - file->data;
  return read_header(file, (size_t)length, error) && take_entries(file, error);
}

static bool open_file(safetensors_t *file, const char *path, base_error_t *error) {
  file->path = strdup(path);
  if (file->path == NULL) {
    return base_fail(error, "%s: out of memory", path);
  }
  if (!input_check(path, error)) {
    return false;
  }
  file->number = open(path, O_RDONLY | O_CLOEXEC);
  return file->number >= 0 || base_fail(error, "%s: %s", path, strerror(errno));
}

safetensors_t *safetensors_open(const char *path, base_error_t *error) {
  safetensors_t *file = calloc(1, sizeof *file);
  if (file == NULL) {
    base_fail(error, "%s: out of memory", path);
    return NULL;
  }
  file->number = -1;
  if (open_file(file, path, error) && read_file(file, error)) {
    return file;
  }
  safetensors_close(file);
  return NULL;
}

void safetensors_close(safetensors_t *file) {
  if (file == NULL) {
    return;
  }
  if (file->number >= 0) {
    close(file->number);
  }
  cJSON_Delete(file->header);
  free(file->entries);
  free(file->path);
  free(file);
}
