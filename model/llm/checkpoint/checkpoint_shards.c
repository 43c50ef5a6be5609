// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint_shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"

enum { PATH_BYTES = 1024 };

typedef struct place {
  const char *tensor;
  const char *file;  // its name, NULL in one that stands for the only file
} place_t;

struct checkpoint_shards {
  char folder[PATH_BYTES], index[PATH_BYTES];
  cJSON *root;  // of the index; holds the names. NULL: there is one file
  size_t places;
  place_t *place;  // by tensor
  size_t files;
  safetensors_t **file;  // those that are open
};

static bool join(const char *folder, const char *name, char path[PATH_BYTES], base_error_t *error) {
  const int used = snprintf(path, PATH_BYTES, "%s/%s", folder, name);
  return used < PATH_BYTES || base_fail(error, "%.200s...: path too long", folder);
}

// --- the index --------------------------------------------------------------------------------

static int by_tensor(const void *a, const void *b) {
  return strcmp(((const place_t *)a)->tensor, ((const place_t *)b)->tensor);
}

// Files lie in the folder itself, so that an index cannot make us read anything else.
static bool is_plain(const char *file) {
  return file != NULL && file[0] != '\0' && file[0] != '.' && strchr(file, '/') == NULL;
}

static bool take_place(checkpoint_shards_t *shards, const cJSON *item, base_error_t *error) {
  const char *file = cJSON_GetStringValue(item);
  shards->place[shards->places++] = (place_t){item->string, file};
  return is_plain(file) ||
         base_fail(error, "%s: tensor '%.200s' in '%.200s'; expected the name of a file in the same folder",
                   shards->index, item->string, file == NULL ? "" : file);
}

static bool take_map(checkpoint_shards_t *shards, const cJSON *map, base_error_t *error) {
  const cJSON *item;
  if (!cJSON_IsObject(map)) {
    return base_fail(error, "%s: no weight_map; expected {\"weight_map\": {\"TENSOR\": \"FILE\", ...}}", shards->index);
  }
  const size_t count = (size_t)cJSON_GetArraySize(map);
  shards->place = calloc(count + 1, sizeof *shards->place);
  shards->file = calloc(count + 1, sizeof *shards->file);
  if (shards->place == NULL || shards->file == NULL) {
    return base_fail(error, "%s: out of memory", shards->index);
  }
  cJSON_ArrayForEach(item, map) {
    if (!take_place(shards, item, error)) {
      return false;
    }
  }
  qsort(shards->place, count, sizeof *shards->place, by_tensor);
  return true;
}

static bool read_index(checkpoint_shards_t *shards, base_error_t *error) {
  shards->root = json_read_input(shards->index, "an index of safetensors files", error);
  return shards->root != NULL && take_map(shards, cJSON_GetObjectItemCaseSensitive(shards->root, "weight_map"), error);
}

static bool open_single(checkpoint_shards_t *shards, const char *path, base_error_t *error) {
  shards->file = calloc(1, sizeof *shards->file);
  if (shards->file == NULL) {
    return base_fail(error, "%s: out of memory", path);
  }
  shards->file[0] = safetensors_open(path, error);
  shards->files = shards->file[0] != NULL;
  return shards->file[0] != NULL;
}

static bool open_shards(checkpoint_shards_t *shards, const char *folder, base_error_t *error) {
  char single[PATH_BYTES];
  struct stat status;
  if (!join(folder, "model.safetensors", single, error) ||
      !join(folder, "model.safetensors.index.json", shards->index, error)) {
    return false;
  }
  snprintf(shards->folder, sizeof shards->folder, "%s", folder);
  if (stat(single, &status) != 0 && stat(shards->index, &status) == 0) {
    return read_index(shards, error);
  }
  return open_single(shards, single, error);
}

checkpoint_shards_t *checkpoint_shards_open(const char *folder, base_error_t *error) {
  checkpoint_shards_t *shards = calloc(1, sizeof *shards);
  if (shards == NULL) {
    base_fail(error, "%s: out of memory", folder);
    return NULL;
  }
  if (open_shards(shards, folder, error)) {
    return shards;
  }
  checkpoint_shards_close(shards);
  return NULL;
}

void checkpoint_shards_close(checkpoint_shards_t *shards) {
  if (shards == NULL) {
    return;
  }
  for (size_t i = 0; i < shards->files; ++i) {
    safetensors_close(shards->file[i]);
  }
  cJSON_Delete(shards->root);
  free(shards->place);
  free(shards->file);
  free(shards);
}

// --- finding ----------------------------------------------------------------------------------

// The open file of this name. Neighbours are mostly in the file that was opened last.
static const safetensors_t *file_of(checkpoint_shards_t *shards, const char *name, base_error_t *error) {
  char path[PATH_BYTES];
  if (!join(shards->folder, name, path, error)) {
    return NULL;
  }
  for (size_t i = shards->files; i-- > 0;) {
    if (strcmp(safetensors_path(shards->file[i]), path) == 0) {
      return shards->file[i];
    }
  }
  safetensors_t *file = safetensors_open(path, error);
  if (file != NULL) {
    shards->file[shards->files++] = file;
  }
  return file;
}

bool checkpoint_shards_find(checkpoint_shards_t *shards, const char *name, const safetensors_t **file,
                            const safetensors_entry_t **entry, base_error_t *error) {
  if (shards->root == NULL) {
    *file = shards->file[0];
  } else {
    const place_t key = {.tensor = name};
    const place_t *place = bsearch(&key, shards->place, shards->places, sizeof key, by_tensor);
    if (place == NULL) {
      return base_fail(error, "%s: no tensor '%s'", shards->index, name);
    }
    *file = file_of(shards, place->file, error);
    if (*file == NULL) {
      return false;
    }
  }
  *entry = safetensors_find(*file, name);
  return *entry != NULL || base_fail(error, "%s: no tensor '%s'", safetensors_path(*file), name);
}
