// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

#include <stdio.h>
#include <string.h>

#include "host/places.h"

enum { TEXT_BYTES = 128, PATH_BYTES = 4096 };

const char *version_text(void) {
  static char text[TEXT_BYTES];
  char path[PATH_BYTES + 16], commit[64] = "";
  if (text[0] != '\0') {
    return text;
  }
  snprintf(path, sizeof path, "%s/commit", places_built());
  FILE *file = fopen(path, "r");
  if (file != NULL) {
    if (fgets(commit, sizeof commit, file) != NULL) {
      commit[strcspn(commit, "\n")] = '\0';
    }
    fclose(file);
  }
  snprintf(text, sizeof text, "%s%s%s%s", AMALGAM_VERSION, commit[0] != '\0' ? " (" : "", commit, commit[0] != '\0' ? ")" : "");
  return text;
}
