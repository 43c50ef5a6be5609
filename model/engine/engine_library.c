// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine_internal.h"
#include "host/places.h"

enum { PATH_MAX_BYTES = 4096 };

static bool is_hfa(const engine_shape_t *shape) { return shape->num.design == NUM_DESIGN_HFA; }

// The script answers with the last line of its output: a path, or what went wrong.
static bool run_script(const char *how, const char *arguments, char answer[PATH_MAX_BYTES]) {
  char command[3 * PATH_MAX_BYTES];
  snprintf(command, sizeof command, "'%s/model/engine/build_unit.sh' %s '%s/units' %s 2>&1",
           places_source(), how, places_kept(), arguments);
  FILE *script = popen(command, "r");
  if (script == NULL) {
    return false;
  }
  answer[0] = '\0';
  while (fgets(answer, PATH_MAX_BYTES, script) != NULL) {
  }
  answer[strcspn(answer, "\n")] = '\0';
  return pclose(script) == 0;
}

static bool find_or_build(const char *arguments, const char *what, void (*progress)(const char *what),
                          char path[PATH_MAX_BYTES]) {
  if (run_script("find", arguments, path)) {
    return true;
  }
  if (progress != NULL) {
    progress(what);
  }
  return run_script("build", arguments, path);
}

void *unit_library_open(const char *arguments, const char *what, void (*progress)(const char *what),
                        const char *symbol, void **address, char *message, size_t size) {
  char path[PATH_MAX_BYTES];
  if (!find_or_build(arguments, what, progress, path)) {
    snprintf(message, size, "%.*s", (int)size - 1, path);
    return NULL;
  }
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *address = handle == NULL ? NULL : dlsym(handle, symbol);
  if (*address == NULL) {
    snprintf(message, size, "%.*s", (int)size - 1, dlerror());
    if (handle != NULL) {
      dlclose(handle);
    }
    return NULL;
  }
  return handle;
}

bool engine_library_open(const engine_shape_t *shape, engine_trace_t trace,
                         void (*progress)(const char *what), engine_library_t *library,
                         char *message, size_t size) {
  const num_engine_t *num = &shape->num;
  char arguments[256];
  char what[128];
  void *api = NULL;
  library->handle = NULL;
  library->api = NULL;
  if (!engine_shape_check(shape, message, size)) {
    return false;
  }
  snprintf(arguments, sizeof arguments, "%s %zu %zu %zu %zu %d %d %d %d",
           is_hfa(shape) ? "hfa_top" : "fa2_top", num->d, num->blocks, shape->queries, num->rows,
           is_hfa(shape) && num->hfa.corrected, is_hfa(shape) && num->hfa.zero_exact,
           !is_hfa(shape) && shape->one_mul, (int)trace);
  snprintf(what, sizeof what, "building the RTL of %s with D=%zu, P=%zu, NQ=%zu, N=%zu%s",
           is_hfa(shape) ? "H-FA" : "FA-2", num->d, num->blocks, shape->queries, num->rows,
           trace == ENGINE_UNTRACED ? "" : ", with waveforms");
  library->handle = unit_library_open(arguments, what, progress, "engine_unit_api", &api, message, size);
  library->api = api;
  return library->handle != NULL;
}

void engine_library_close(engine_library_t *library) {
  if (library->handle != NULL) {
    dlclose(library->handle);
  }
}
