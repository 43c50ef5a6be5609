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

// progress (may be NULL) is called before anything that takes long. False, with one line in message,
// if the shape is impossible or its library cannot be built or loaded.
bool engine_library_open(const engine_shape_t *shape, bool traced,
                         void (*progress)(const char *what), engine_library_t *library,
                         char *message, size_t size);

void engine_library_close(engine_library_t *library);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_ENGINE_ENGINE_LIBRARY_H_
