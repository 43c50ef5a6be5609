// The engine of a run: its shape and what stands in for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_ENGINE_SETTINGS_H
#define KERNEL_ENGINE_SETTINGS_H

#include "cli/option/options.h"
#include "engine/engine.h"

typedef struct engine_settings {
  const char *kernel;      // "hfa"
  engine_shape_t shape;
  bool rtl;
  unsigned threads;
  double clock_mhz;
} engine_settings_t;

// For a problem of that many keys of d elements.
bool engine_settings_read(engine_settings_t *settings, const char *kernel, const options_t *options,
                          size_t keys, size_t d, base_error_t *error);

// The RTL of a shape, or its C model. progress as of engine_open_rtl. NULL: error says why.
engine_t *engine_settings_open(const engine_settings_t *settings, const engine_waves_t *waves,
                               void (*progress)(const char *what), base_error_t *error);

#endif
