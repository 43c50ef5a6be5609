// What `run lm` computes with: the attention's arithmetic, where products go, the machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_LM_SETTINGS_H
#define KERNEL_LM_SETTINGS_H

#include "cli/option/options.h"
#include "kernel/lm/lm_machine.h"

// As --attention lists them.
typedef enum lm_arithmetic { LM_FP32, LM_FA2, LM_HFA } lm_arithmetic_t;

typedef struct lm_settings {
  lm_arithmetic_t attention;
  bool gemm_soc;
  bool machine;            // is there one? Else what follows is not used.
  const char *config;      // its name
  lm_machine_options_t options;
} lm_settings_t;

extern const char *const lm_arithmetic_names[];   // "fp32", ...

// Options that belong together, the machine and its engines; what depends on the model comes with
// lm_settings_fit.
bool lm_settings_read(lm_settings_t *settings, const options_t *options, base_error_t *error);

// For a model of that shape.
bool lm_settings_fit(lm_settings_t *settings, const lm_shape_t *shape, base_error_t *error);

// Keys of a chunk if nothing else is asked for: half of what the engine holds, a multiple of its
// blocks, so that the next chunk can be loaded meanwhile.
size_t lm_usual_chunk(size_t rows, size_t blocks);

#endif
