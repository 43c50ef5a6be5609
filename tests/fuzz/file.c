// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

void fuzz_broken(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: expected %s\n", file, line, what);
  abort();
}

const char *fuzz_file(const uint8_t *bytes, size_t size) {
  static int number = -1;
  static char path[64];
  if (number < 0) {
    number = memfd_create("input", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
  }
  FUZZ_EXPECT(ftruncate(number, 0) == 0);
  FUZZ_EXPECT(pwrite(number, bytes, size, 0) == (ssize_t)size);
  return path;
}
