// Shared by the unit tests: cmocka, and files in a directory that goes away.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_CLI_UNIT_CLI_TEST_H
#define AMALGAM_TESTS_CLI_UNIT_CLI_TEST_H

#include <unistd.h>

#include "test.h"

// Enters a new directory under /tmp; leave_directory removes it with its files.
static inline int enter_directory(void **state) {
  static char name[64];
  strcpy(name, "/tmp/amalgam-test-XXXXXX");
  *state = mkdtemp(name);
  return *state == NULL || chdir(name) != 0;
}

static inline int leave_directory(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
  return chdir("/") != 0 || system(command) != 0;
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static inline void assert_contains(const char *text, const char *part) {
  if (strstr(text, part) == NULL) {
    fail_msg("no \"%s\" in \"%s\"", part, text);
  }
  assert_null(strchr(text, '\n'));
}

#endif
