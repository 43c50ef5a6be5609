// SPDX-License-Identifier: Apache-2.0
#include "host/version.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/places.h"

enum { COMMIT_BYTES = 64, TEXT_BYTES = 128, PATH_BYTES = 4096 };

const char *version_release(void) { return AMALGAM_VERSION; }

static void read_commit(char commit[COMMIT_BYTES]) {
  char path[PATH_BYTES + 16];
  snprintf(path, sizeof path, "%s/commit", places_built());
  const int file = open(path, O_RDONLY | O_CLOEXEC);  // needs no memory, without which the commit would be unknown
  if (file < 0) {
    return;
  }
  const ssize_t bytes = read(file, commit, COMMIT_BYTES - 1);
  commit[bytes > 0 ? bytes : 0] = '\0';
  commit[strcspn(commit, "\n")] = '\0';
  close(file);
}

const char *version_commit(void) {
  static char commit[COMMIT_BYTES] = "";
  static bool looked;
  if (!looked) {
    read_commit(commit);
    looked = true;
  }
  return commit;
}

const char *version_text(void) {
  static char text[TEXT_BYTES];
  const char *commit = version_commit();
  snprintf(text, sizeof text, "%s%s%s%s", version_release(), commit[0] != '\0' ? " (" : "", commit,
           commit[0] != '\0' ? ")" : "");
  return text;
}
