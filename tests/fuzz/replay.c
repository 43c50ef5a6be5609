// A harness on files that are given, or all those of a folder: for builds without libFuzzer.
//   replay FILE-OR-FOLDER...
// SPDX-License-Identifier: Apache-2.0
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static size_t inputs;

// A file that cannot be read is a failure: nothing would have been tried.
static int replay(const char *path, const struct stat *status, int type) {
  if (type != FTW_F) {
    return type == FTW_D ? 0 : -1;
  }
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc((size_t)status->st_size + 1);
  if (file == NULL || bytes == NULL) {
    perror(path);
    exit(1);
  }
  const size_t size = fread(bytes, 1, (size_t)status->st_size, file);
  fclose(file);
  uint8_t *exact = realloc(bytes, size + (size == 0));  // reads beyond the end show with a sanitizer
  fprintf(stderr, "%s\n", path);                        // what it was, should this one crash
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  inputs += 1;
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (ftw(argv[i], replay, 8) != 0) {
      perror(argv[i]);
      return 1;
    }
  }
  fprintf(stderr, "%zu inputs\n", inputs);
  return inputs == 0;
}
