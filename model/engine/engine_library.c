// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine_internal.h"
#include "host/places.h"
#include "host/program.h"

enum { PATH_MAX_BYTES = 4096 };

// how: "find" or "build". arguments: words between single spaces. folder: where "units" is. The script answers with the
// last line of its output: a path, or what went wrong.
static bool run_script(const char *how, const char *folder, const char *arguments, char answer[PATH_MAX_BYTES]) {
  enum { WORDS_MAX = 16 };
  char script[PATH_MAX_BYTES + 64], units[PATH_MAX_BYTES + 64], words[256];
  const char *argv[WORDS_MAX] = {script, how, units};
  snprintf(script, sizeof script, "%s/model/engine/build_unit.sh", places_source());
  snprintf(units, sizeof units, "%s/units", folder);
  snprintf(words, sizeof words, "%s", arguments);
  char *rest = words;
  for (size_t i = 3; rest != NULL && i + 1 < WORDS_MAX; ++i) {
    argv[i] = strsep(&rest, " ");
  }
  const program_t program = {.argv = argv, .answer = answer, .size = PATH_MAX_BYTES};
  return program_run(&program) == PROGRAM_DONE;
}

// A unit that is built already may lie in a build folder that this user cannot write to.
static bool find_or_build(const char *arguments, const char *what, engine_progress_t progress,
                          char path[PATH_MAX_BYTES]) {
  if (run_script("find", places_built(), arguments, path) || run_script("find", places_kept(), arguments, path)) {
    return true;
  }
  if (progress.tell != NULL) {
    progress.tell(progress.context, what);
  }
  return run_script("build", places_kept(), arguments, path);
}

void *unit_library_open(const char *arguments, const char *what, engine_progress_t progress, const char *symbol,
                        void **address, base_error_t *error) {
  char path[PATH_MAX_BYTES];
  if (!find_or_build(arguments, what, progress, path)) {
    base_fail(error, "%s", path);
    return NULL;
  }
  // Stays when it is closed: Verilator keeps a buffer of each thread's in it, which would be lost.
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  *address = handle == NULL ? NULL : dlsym(handle, symbol);
  if (*address == NULL) {
    base_fail(error, "%s", dlerror());
    if (handle != NULL) {
      dlclose(handle);
    }
    return NULL;
  }
  return handle;
}

bool engine_library_open(const engine_shape_t *shape, engine_trace_t trace, engine_progress_t progress,
                         engine_library_t *library, base_error_t *error) {
  const num_engine_t *num = &shape->num;
  char arguments[256];
  char what[128];
  void *api = NULL;
  library->handle = NULL;
  library->api = NULL;
  if (!engine_shape_check(shape, error)) {
    return false;
  }
  snprintf(arguments, sizeof arguments, "%s %u %zu %zu %zu %zu %d%s", num_engine_name(num->design),
           engine_shape_variant(shape), num->d, num->blocks, shape->queries, num->rows, (int)trace,
           shape->axi ? " axi" : "");
  snprintf(what, sizeof what, "building the RTL of %s with D=%zu, P=%zu, NQ=%zu, N=%zu%s%s",
           num_engine_title(num->design), num->d, num->blocks, shape->queries, num->rows,
           shape->axi ? ", behind AXI" : "", trace == ENGINE_UNTRACED ? "" : ", with waveforms");
  library->handle = unit_library_open(arguments, what, progress, "engine_unit_api", &api, error);
  library->api = api;
  return library->handle != NULL;
}

void engine_library_close(engine_library_t *library) {
  if (library->handle != NULL) {
    dlclose(library->handle);
  }
}
