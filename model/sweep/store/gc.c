// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/files.h"
#include "sweep/store/claim.h"
#include "sweep/store/store.h"

typedef char name_t[STORE_NAME_BYTES];

typedef struct names {
  name_t *list;
  size_t count, room;
} names_t;

static int by_name(const void *a, const void *b) { return memcmp(a, b, sizeof(name_t)); }

static bool is_hex(const char *text, size_t length) {
  return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

static bool add_name(names_t *names, const char *text, base_error_t *error) {
  if (names->count == names->room) {
    const size_t room = names->room == 0 ? 1024 : 2 * names->room;
    name_t *list = realloc(names->list, room * sizeof *list);
    if (list == NULL) {
      return base_fail(error, "out of memory");
    }
    names->list = list;
    names->room = room;
  }
  memcpy(names->list[names->count++], text, sizeof(name_t));
  return true;
}

// A list that is not all names, or ends within one, is nobody's to judge: what it names would be removed.
static bool read_points(const char *path, names_t *names, base_error_t *error) {
  char line[STORE_NAME_BYTES + 8];
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return errno == ENOENT || errno == ENOTDIR || base_fail(error, "%s: cannot read: %s", path, strerror(errno));
  }
  bool good = true;
  while (good && fgets(line, sizeof line, file) != NULL) {
    const size_t length = strcspn(line, "\n");
    const bool ends = line[length] == '\n';
    line[length] = '\0';
    good = (ends && is_hex(line, STORE_NAME_BYTES - 1)) ||
           base_fail(error, "%s: expected names of results; nothing is removed", path);
    good = good && add_name(names, line, error);
  }
  good = good && (!ferror(file) || base_fail(error, "%s: cannot read", path));
  fclose(file);
  return good;
}

static bool read_studies(const store_t *store, names_t *names, base_error_t *error) {
  char path[STORE_PATH_BYTES];
  DIR *list = opendir(store->folder);
  bool good = list != NULL || base_fail(error, "%s: cannot read: %s", store->folder, strerror(errno));
  for (const struct dirent *entry; good && list != NULL && (entry = readdir(list)) != NULL;) {
    if (entry->d_name[0] != '.' && strcmp(entry->d_name, "store") != 0) {
      store_study_path(store, entry->d_name, "points", path);
      good = read_points(path, names, error);
    }
  }
  if (list != NULL) {
    closedir(list);
  }
  return good;
}

static void sweep_folder(const store_t *store, const char *two, const names_t *names, store_gc_t *gc) {
  char path[STORE_PATH_BYTES], inner[STORE_PATH_BYTES];
  store_path(store, two, path);
  DIR *list = opendir(path);
  for (const struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    name_t name;
    if (!is_hex(entry->d_name, STORE_NAME_BYTES - 3)) {
      continue;
    }
    snprintf(name, sizeof name, "%s%.30s", two, entry->d_name);
    if (names->count > 0 && bsearch(name, names->list, names->count, sizeof name, by_name) != NULL) {
      gc->kept += store_has(store, name);
    } else {
      gc->removed += store_has(store, name);
      store_result_path(store, name, "", inner);
      host_remove_folder(inner);
    }
  }
  if (list != NULL) {
    closedir(list);
  }
  rmdir(path);  // if it is empty
}

bool store_gc(const store_t *store, store_gc_t *gc, base_error_t *error) {
  names_t names = {.count = 0};
  char path[STORE_PATH_BYTES];
  *gc = (store_gc_t){0};
  store_path(store, "", path);
  if (access(path, F_OK) != 0) {
    return base_fail(error, "%s: no store is there", store->folder);
  }
  const bool good = read_studies(store, &names, error);
  if (good) {
    if (names.count > 0) {
      qsort(names.list, names.count, sizeof *names.list, by_name);
    }
    for (unsigned i = 0; i < 256; ++i) {
      char two[3];
      snprintf(two, sizeof two, "%02x", i);
      sweep_folder(store, two, &names, gc);
    }
    claims_clean(store);
  }
  free(names.list);
  return good;
}
