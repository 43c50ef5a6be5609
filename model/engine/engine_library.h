// Verilated units in shared libraries, built by build_unit.sh when first asked for, and kept (host/places.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_LIBRARY_H
#define AMALGAM_ENGINE_ENGINE_LIBRARY_H

#include "base/error.h"
#include "engine/engine.h"
#include "engine/engine_unit.h"

#ifdef __cplusplus
extern "C" {
#endif

// Opens the library that build_unit.sh makes of these arguments (its TOP and what follows), and finds a symbol
// of it. progress (may be NULL) is called with `what` before it is built. Returns a handle of dlopen(), or NULL,
// with one line in error, if it cannot be built or loaded.
void *unit_library_open(const char *arguments, const char *what, engine_progress_t progress, const char *symbol,
                        void **address, base_error_t *error);

// The one of an engine's shape.
typedef struct engine_library {
  void *handle;
  const engine_unit_api_t *api;
} engine_library_t;

// The unit's waveforms: none, an outline (build_unit.sh), all of its signals.
typedef enum engine_trace { ENGINE_UNTRACED, ENGINE_TRACE_OUTLINE, ENGINE_TRACE_ALL } engine_trace_t;

// The widest signal that each shows.
static inline unsigned engine_trace_bits(engine_trace_t trace) { return trace == ENGINE_TRACE_OUTLINE ? 64 : 1u << 30; }

// progress (may be NULL) is called before anything that takes long. False, with one line in error,
// if the shape is impossible or its library cannot be built or loaded.
bool engine_library_open(const engine_shape_t *shape, engine_trace_t trace, engine_progress_t progress,
                         engine_library_t *library, base_error_t *error);

void engine_library_close(engine_library_t *library);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_ENGINE_ENGINE_LIBRARY_H
