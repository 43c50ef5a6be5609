// SPDX-License-Identifier: Apache-2.0
#include "cli/run/dump_all.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blame/dump_all.h"

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
