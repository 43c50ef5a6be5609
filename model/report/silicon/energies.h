// Energy per cycle of attention engines on real inputs: netlists of their units, simulated.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_SILICON_ENERGIES_H
#define AMALGAM_REPORT_SILICON_ENERGIES_H

#include "silicon/power/measure.h"
#include "silicon/synth/area.h"

enum { POWER_BLOCKS = 4, POWER_KEYS = 1024, POWER_QUERIES = 5 };

typedef enum power_input {
  POWER_LM,      // the shipped language model's, on held-out text
  POWER_NORMAL,  // N(0,1)
  POWER_PEAKED,  // the same with queries N(0,16): most of the weight on few keys
  POWER_INPUTS,
} power_input_t;

extern const char *const power_input_names[POWER_INPUTS];
extern const char *const power_input_texts[POWER_INPUTS];

typedef struct power_row {
  size_t d;
  measure_design_t design;
  power_input_t input;
  measure_engine_t engine;
} power_row_t;

// The settings for measuring a flow's netlists.
measure_settings_t power_settings(const synth_flow_t *flow);

// Fills in the engines of rows, which are of one d; each has POWER_BLOCKS blocks. False: error, or
// interrupted.
bool power_measure(const synth_flow_t *flow, const liberty_t *library, power_row_t *row, size_t rows,
                   base_error_t *error);

#endif
