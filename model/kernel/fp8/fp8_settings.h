// What a simulation over an FP8 cache needs besides its problem.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_FP8_SETTINGS_H
#define KERNEL_FP8_SETTINGS_H

#include "kernel/attention/attention_settings.h"
#include "kernel/fp8/fp8_problem.h"

typedef struct fp8_settings {
  attention_settings_t attention;   // machine, firmware, tiling: as for amla
  bool crossover;
  bool direct;                      // keys go straight into L1
} fp8_settings_t;

// Everything that does not depend on the problem.
bool fp8_settings_read(const options_t *options, fp8_settings_t *settings, base_error_t *error);

// The rest: crossover and how rows are cut.  Crossover is on if neither machine nor problem nor
// options say otherwise.  Without it rows are cut as with it, unless the options say otherwise:
// both AI cores of a pair have work, and both dequantise.
bool fp8_settings_fit(const options_t *options, const fp8_problem_t *problem,
                      fp8_settings_t *settings, base_error_t *error);

#endif
