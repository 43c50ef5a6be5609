// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine_internal.h"

enum { PATH_MAX_BYTES = 4096 };

static bool is_hfa(const engine_shape_t *shape) { return shape->num.design == NUM_DESIGN_HFA; }

// The script answers with the last line of its output: a path, or what went wrong.
static bool run_script(const engine_shape_t *shape, engine_trace_t trace, const char *how,
                       char answer[PATH_MAX_BYTES]) {
  const num_engine_t *num = &shape->num;
  char command[2 * PATH_MAX_BYTES];
  snprintf(command, sizeof command,
           "'%s/model/engine/build_unit.sh' %s '%s/units' %s %zu %zu %zu %zu %d %d %d %d 2>&1",
           AMALGAM_SOURCE_DIR, how, AMALGAM_BUILD_DIR, is_hfa(shape) ? "hfa_top" : "fa2_top",
           num->d, num->blocks, shape->queries, num->rows, is_hfa(shape) && num->hfa.corrected,
           is_hfa(shape) && num->hfa.zero_exact, !is_hfa(shape) && shape->one_mul, trace);
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

static bool find_or_build(const engine_shape_t *shape, engine_trace_t trace,
                          void (*progress)(const char *what), char path[PATH_MAX_BYTES],
                          char *message, size_t size) {
  if (run_script(shape, trace, "find", path)) {
    return true;
  }
  if (progress != NULL) {
    char what[128];
    snprintf(what, sizeof what, "building the RTL of %s with D=%zu, P=%zu, NQ=%zu, N=%zu%s",
             is_hfa(shape) ? "H-FA" : "FA-2", shape->num.d, shape->num.blocks, shape->queries,
             shape->num.rows, trace == ENGINE_UNTRACED ? "" : ", with waveforms");
    progress(what);
  }
  if (run_script(shape, trace, "build", path)) {
    return true;
  }
  snprintf(message, size, "%.*s", (int)size - 1, path);
  return false;
}

bool engine_library_open(const engine_shape_t *shape, engine_trace_t trace,
                         void (*progress)(const char *what), engine_library_t *library,
                         char *message, size_t size) {
  char path[PATH_MAX_BYTES];
  if (!engine_shape_check(shape, message, size) ||
      !find_or_build(shape, trace, progress, path, message, size)) {
    return false;
  }
  library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  library->api = library->handle == NULL ? NULL : dlsym(library->handle, "engine_unit_api");
  if (library->api == NULL) {
    snprintf(message, size, "%.*s", (int)size - 1, dlerror());
    engine_library_close(library);
    return false;
  }
  return true;
}

void engine_library_close(engine_library_t *library) {
  if (library->handle != NULL) {
    dlclose(library->handle);
  }
}
