// The shared library of one shape of the engine's RTL: built when missing, kept in the build folder.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_LIBRARY_H_
#define AMALGAM_ENGINE_ENGINE_LIBRARY_H_

#include "engine/engine.h"
#include "engine/engine_unit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct engine_library {
  void *handle;
  const engine_unit_api_t *api;
} engine_library_t;

// The unit's waveforms: none, an outline (build_unit.sh), all of its signals.
typedef enum engine_trace {
  ENGINE_UNTRACED, ENGINE_TRACE_OUTLINE, ENGINE_TRACE_ALL
} engine_trace_t;

// The widest signal that each shows.
static inline unsigned engine_trace_bits(engine_trace_t trace) {
  return trace == ENGINE_TRACE_OUTLINE ? 64 : 1u << 30;
}

// progress (may be NULL) is called before anything that takes long. False, with one line in message,
// if the shape is impossible or its library cannot be built or loaded.
bool engine_library_open(const engine_shape_t *shape, engine_trace_t trace,
                         void (*progress)(const char *what), engine_library_t *library,
                         char *message, size_t size);

void engine_library_close(engine_library_t *library);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_ENGINE_ENGINE_LIBRARY_H_
