// The places of config files.
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "config/config.h"
#include "config/config_table.h"
#include "host/places.h"

const char *config_home(void) {
  const char *home = getenv("AMALGAM_HOME");
  return home != NULL && *home != '\0' ? home : places_source();
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text);
  return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool config_is_name(const char *name) {
  return strchr(name, '/') == NULL && !ends_with(name, ".yaml") && !ends_with(name, ".yml");
}

bool config_find(const char *name, char *path, size_t size) {
  const int length = config_is_name(name) ? snprintf(path, size, "%s/model/config/%s.yaml", config_home(), name)
                                          : snprintf(path, size, "%s", name);
  return length >= 0 && (size_t)length < size;
}

// --- which there are --------------------------------------------------------------------------

enum { MACHINES_MOST = 16, MACHINE_BYTES = 40 };

typedef struct machines {
  size_t count;
  char name[MACHINES_MOST][MACHINE_BYTES];
} machines_t;

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void list_machines(const char *folder_name, machines_t *machines) {
  char path[4096];
  snprintf(path, sizeof path, "%s/model/config%s", config_home(), folder_name);
  DIR *folder = opendir(path);
  machines->count = 0;
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    const size_t length = strlen(entry->d_name);
    if (ends_with(entry->d_name, ".yaml") && length < MACHINE_BYTES && machines->count < MACHINES_MOST) {
      snprintf(machines->name[machines->count++], MACHINE_BYTES, "%.*s", (int)(length - strlen(".yaml")),
               entry->d_name);
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
  qsort(machines->name, machines->count, MACHINE_BYTES, by_name);
}

void config_no_such_in(const char *folder, const char *what, const char *name, base_error_t *error) {
  machines_t machines;
  const char *names[MACHINES_MOST] = {NULL};
  char list[MACHINES_MOST * (MACHINE_BYTES + 5)] = "none", hint[MACHINE_BYTES + 20];
  size_t used = 0;
  list_machines(folder, &machines);
  for (size_t i = 0; i < machines.count; ++i) {
    names[i] = machines.name[i];
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                             i == 0                   ? ""
                             : i + 1 < machines.count ? ", "
                                                      : " and ",
                             names[i]);
  }
  suggest_text(name, names, machines.count, "", hint, sizeof hint);
  base_fail(error, "%.100s: no such %s; there are %.250s%s%s", name, what, list, hint,
            hint[0] == '\0' && access(name, F_OK) == 0 ? "; a file ends in .yaml or has a slash" : "");
}

void config_no_such(const char *name, base_error_t *error) { config_no_such_in("", "machine", name, error); }
