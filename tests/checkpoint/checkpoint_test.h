// Shared by the tests of model/llm/checkpoint: a folder of their own, files in it, and the form of a refusal.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_CHECKPOINT_CHECKPOINT_TEST_H
#define AMALGAM_TESTS_CHECKPOINT_CHECKPOINT_TEST_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "host/files.h"
#include "num_test.h"

static char *folder;  // of this process

static inline int make_folder(void **state) {
  (void)state;
  folder = host_new_folder();
  return folder == NULL;
}

static inline int remove_folder(void **state) {
  (void)state;
  host_remove_folder(folder);
  free(folder);
  return 0;
}

static inline const char *path_of(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// A new file: some file systems write out what replaces another, which takes them long.
static inline void write_bytes(const char *name, const void *bytes, size_t size) {
  remove(path_of(name));
  FILE *file = fopen(path_of(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *name, const char *text) { write_bytes(name, text, strlen(text)); }

// The length of a header, the header, and `size` bytes of data: 0, 1, 2, ...
static inline void write_tensors(const char *name, const char *header, const void *data, size_t size) {
  const size_t length = strlen(header);
  uint8_t *bytes = allocate(8 + length + size, 1);
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = (uint8_t)((uint64_t)length >> (8 * i));
  }
  memcpy(bytes + 8, header, length);
  for (size_t i = 0; i < size; ++i) {
    bytes[8 + length + i] = data == NULL ? (uint8_t)i : ((const uint8_t *)data)[i];
  }
  write_bytes(name, bytes, 8 + length + size);
  free(bytes);
}

static inline void check_refusal(const base_error_t *error, const char *file, const char *expected) {
  CHECK(strstr(error->text, file) != NULL, "'%s' does not name %s", error->text, file);
  CHECK(strstr(error->text, expected) != NULL, "'%s' does not say '%s'", error->text, expected);
  CHECK(strchr(error->text, '\n') == NULL, "more than a line");
}

#endif  // AMALGAM_TESTS_CHECKPOINT_CHECKPOINT_TEST_H
