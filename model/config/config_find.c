// Where config files are.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "host/places.h"

const char *config_home(void) {
  const char *home = getenv("AMALGAM_HOME");
  return home != NULL && *home != '\0' ? home : places_source();
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text);
  return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool config_find(const char *name, char *path, size_t size) {
  const bool file =
      strchr(name, '/') != NULL || ends_with(name, ".yaml") || ends_with(name, ".yml");
  const int length = file ? snprintf(path, size, "%s", name)
                          : snprintf(path, size, "%s/model/config/%s.yaml", config_home(), name);
  return length >= 0 && (size_t)length < size;
}
