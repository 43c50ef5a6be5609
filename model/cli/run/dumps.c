// SPDX-License-Identifier: Apache-2.0
#include "cli/run/dumps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/npy.h"
#include "blame/dump_all.h"
#include "host/files.h"

enum { NAME_BYTES = 4096 };

// They outlive the machine.
static struct {
  soc_dump_t dump[SOC_MAX_DUMPS];
  size_t file[SOC_MAX_DUMPS];  // of the run's outputs
  size_t count;
} all;

static bool read_mark(const char *text, size_t length, waves_mark_t *mark) {
  char window[64];
  waves_window_t parsed;
  if (length + 2 > sizeof window) {
    return false;
  }
  memcpy(window, text, length);
  window[length] = ':';
  window[length + 1] = '\0';
  const bool good = waves_window_parse(window, &parsed) && parsed.from.command[0] != '\0';
  *mark = parsed.from;
  return good;
}

// SPACE[@ADDRESS]
static bool read_space(const char *text, size_t length, soc_dump_t *dump) {
  const char *at = memchr(text, '@', length);
  const size_t name = at == NULL ? length : (size_t)(at - text);
  if (name == 0 || name >= sizeof dump->space) {
    return false;
  }
  for (size_t i = 0; i < name; ++i) {
    dump->space[i] = (char)tolower((unsigned char)text[i]);
  }
  dump->space[name] = '\0';
  dump->addressed = at != NULL;
  if (at != NULL) {
    char *end;
    errno = 0;
    dump->address = strtoull(at + 1, &end, 0);
    return errno == 0 && isdigit((unsigned char)at[1]) && end == text + length;
  }
  return true;
}

// "mmad#12:l0c" is written to mmad#12_l0c.npy.
static bool read_dump(const char *text, soc_dump_t *dump, char *file, base_error_t *error) {
  const char *colon = strchr(text, ':');
  const char *second = colon == NULL ? NULL : strchr(colon + 1, ':');
  *dump = (soc_dump_t){.text = text};
  const size_t space = colon == NULL ? 0 : second == NULL ? strlen(colon + 1) : (size_t)(second - colon - 1);
  if (colon == NULL || !read_mark(text, (size_t)(colon - text), &dump->mark) || !read_space(colon + 1, space, dump) ||
      (second != NULL && second[1] == '\0') || strlen(text) + 5 > NAME_BYTES) {
    return base_fail(error,
                     "--dump: expected COMMAND:MEMORY[@ADDRESS][:FILE.npy], as mmad#12:l0c or "
                     "vector0_1.v#40:ub@0x1000:x.npy; got '%s'",
                     text);
  }
  if (second != NULL) {
    snprintf(file, NAME_BYTES, "%s", second + 1);
  } else {
    snprintf(file, NAME_BYTES, "%.*s_%s.npy", (int)(colon - text), text, colon + 1);
  }
  return true;
}

bool dumps_add(run_t *run) {
  const option_list_t *list = &run->options.dump;
  char file[NAME_BYTES];
  all.count = 0;
  if (list->count > SOC_MAX_DUMPS) {
    return base_fail(&run->error, "--dump: expected at most %d of them, got %zu", SOC_MAX_DUMPS, list->count);
  }
  for (; all.count < list->count; ++all.count) {
    size_t *index = &all.file[all.count];
    if (!read_dump(list->item[all.count], &all.dump[all.count], file, &run->error) ||
        !outputs_add(&run->outputs, file, index, &run->error) || !outputs_stage(&run->outputs, *index, &run->error)) {
      return false;
    }
  }
  return true;
}

// C order; FP32 holds the values of all narrower formats.
static bool write_array(void *context, const char *path, soc_dump_type_t type, uint64_t rows, uint64_t cols,
                        const void *values) {
  (void)context;
  static const npy_type_t types[] = {[SOC_DUMP_F32] = NPY_F4,
                                     [SOC_DUMP_S32] = NPY_I4,
                                     [SOC_DUMP_U16] = NPY_U2,
                                     [SOC_DUMP_U8] = NPY_U1,
                                     [SOC_DUMP_BOOL] = NPY_B1};
  const npy_array_t array = {.type = types[type], .dims = 2, .shape = {rows, cols}, .data = (void *)values};
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    return false;
  }
  npy_write(file, &array);
  return host_close_written(file);
}

void dumps_soc(const run_t *run, soc_options_t *soc) {
  for (size_t i = 0; i < all.count; ++i) {
    all.dump[i].path = outputs_path(&run->outputs, all.file[i]);
  }
  soc->debug.dumps = all.dump;
  soc->debug.dump_count = all.count;
  soc->debug.write_dump = write_array;
}

void dumps_written(run_t *run) {
  for (size_t i = 0; i < all.count; ++i) {
    outputs_written(&run->outputs, all.file[i]);
  }
}

// --- --dump-all -------------------------------------------------------------------------------

// Without slashes at its end; and a name beside it that is to be made unique.
static void folder_names(const char *given, char name[RUN_PATH_BYTES], char beside[RUN_PATH_BYTES + 16]) {
  snprintf(name, RUN_PATH_BYTES, "%s", given);
  for (size_t end = strlen(name); end > 1 && name[end - 1] == '/'; --end) {
    name[end - 1] = '\0';
  }
  snprintf(beside, RUN_PATH_BYTES + 16, "%s.XXXXXX", name);
}

// False: there is something else in it, or it is no folder.
static bool is_empty(const char *name, base_error_t *error) {
  DIR *folder = opendir(name);
  if (folder == NULL) {
    return base_fail(error, "--dump-all %s: %s", name, strerror(errno));
  }
  size_t entries = 0;
  for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
    entries += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  }
  closedir(folder);
  return entries == 0 ||
         base_fail(error, "--dump-all %s: expected a new or an empty folder, it has other things in it", name);
}

bool dump_all_check(const options_t *options, base_error_t *error) {
  char name[RUN_PATH_BYTES], beside[RUN_PATH_BYTES + 16];
  struct stat status;
  if (options->dump_all == NULL) {
    return options->dump_window == NULL || base_fail(error, "--dump-window: needs --dump-all");
  }
  if (options->dump_all[0] == '\0' || strlen(options->dump_all) >= RUN_PATH_BYTES) {
    return base_fail(error, "--dump-all: expected the name of a folder, got '%s'", options->dump_all);
  }
  folder_names(options->dump_all, name, beside);
  if (lstat(name, &status) == 0 && !is_empty(name, error)) {
    return false;
  }
  const bool good = mkdtemp(beside) != NULL && rmdir(beside) == 0;
  return good || base_fail(error, "--dump-all %s: cannot write there: %s", name, strerror(errno));
}

// With the rights of a folder that anybody makes.
static bool take_name(const char *beside, const char *name, base_error_t *error) {
  const mode_t mask = umask(0);
  umask(mask);
  const bool good = chmod(beside, 0777 & ~mask) == 0 && rename(beside, name) == 0;
  return good || base_fail(error, "--dump-all %s: cannot write there: %s", name, strerror(errno));
}

// The folder while it has no name of its own. It is open before its files are written: to list it later would need
// memory, and there may be none.
static struct {
  DIR *_Atomic folder;
  char path[RUN_PATH_BYTES + 16];
} begun;

void dump_all_remove_begun(void) {
  DIR *folder = begun.folder;
  for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
    unlinkat(dirfd(folder), e->d_name, 0);
  }
  if (folder != NULL) {
    rmdir(begun.path);
  }
}

static bool begin_folder(const char *name, base_error_t *error) {
  if (mkdtemp(begun.path) != NULL) {
    begun.folder = opendir(begun.path);
    if (begun.folder != NULL) {
      return true;
    }
    rmdir(begun.path);
  }
  return base_fail(error, "--dump-all %s: cannot write there: %s", name, strerror(errno));
}

static bool write_folder(run_t *run, base_error_t *error) {
  char name[RUN_PATH_BYTES];
  soc_replay_t *replay = run->own->result.soc.replay;
  folder_names(run->options.dump_all, name, begun.path);
  if (replay == NULL) {
    return outputs_commit(&run->outputs, error);  // stopped before it began
  }
  if (!begin_folder(name, error)) {
    return false;
  }
  bool good = blame_dump_all(replay, begun.path, error) && take_name(begun.path, name, error);
  if (good) {
    snprintf(begun.path, sizeof begun.path, "%s", name);
    good = outputs_commit(&run->outputs, error);
  }
  if (!good) {
    dump_all_remove_begun();
  }
  closedir(begun.folder);
  begun.folder = NULL;
  return good;
}

bool dump_all_commit(run_t *run, base_error_t *error) {
  if (run->options.dump_all == NULL) {
    return outputs_commit(&run->outputs, error);
  }
  host_hold_interrupts();  // or half of a folder would be left
  const bool good = write_folder(run, error);
  host_release_interrupts();
  return good;
}
