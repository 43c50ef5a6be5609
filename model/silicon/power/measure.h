// Energy of an attention engine at work, unit by unit, from netlists made when they are first asked
// for; what was found once is kept beside the netlist, in power-SUM.json, under a sum of all that
// went in.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_POWER_MEASURE_H
#define AMALGAM_SILICON_POWER_MEASURE_H

#include "silicon/power/unit.h"
#include "silicon/synth/flow.h"

typedef enum measure_design {
  MEASURE_HFA,
  MEASURE_HFA_CORRECTED,
  MEASURE_FA2,
  MEASURE_FA2_ONEMUL,
  MEASURE_EXPMUL,
  MEASURE_DESIGNS,
} measure_design_t;

const char *measure_design_name(measure_design_t design);  // "hfa_corrected"

// Shared by all measurements of a run.
typedef struct measure_settings {
  const char *liberty;  // its path
  size_t clock_fo4;     // the period that the netlists close
  const char *key;      // of RTL, scripts, tools, library; NULL: look at them every time
  graph_settings_t graph;
  size_t fanout;  // more inputs are driven through buffers, the clock's too
  double period;  // ns, for leakage
} measure_settings_t;

// period: ns, that many FO4. Without a key.
measure_settings_t measure_usual(const char *liberty, size_t clock_fo4, double period);

// One unit.
typedef struct measure_unit {
  char netlist[SYNTH_PATH_BYTES];  // its folder
  energy_t settled, all;           // without and with glitches
  double cycles;                   // counted
  double operations;               // in them, as of unit_work_t
  double outputs;                  // words that were compared with the golden model's, and equal
  double settled_after;            // ps
  double cells, flops;
} measure_unit_t;

// A unit's name and parameters as the scripts want them: "fau ARITHMETIC=0 VARIANT=0 D=32".
void measure_words(measure_design_t design, unit_kind_t kind, size_t d, size_t blocks, size_t rows,
                   char words[SYNTH_PARAMS_BYTES]);

// Makes the netlist if it is not there; folder: where it is. False: error.
bool measure_netlist(const measure_settings_t *settings, measure_design_t design, unit_kind_t kind, size_t d,
                     size_t blocks, size_t rows, char folder[SYNTH_PATH_BYTES], base_error_t *error);

// The stimulus' arithmetic must be the design's. Threads may measure at the same time.
bool measure_unit(const measure_settings_t *settings, const liberty_t *library, measure_design_t design,
                  unit_kind_t kind, const unit_stimulus_t *stimulus, simulate_delay_t delay, measure_unit_t *unit,
                  base_error_t *error);

// --- a whole engine ---------------------------------------------------------------------------

// pJ in a cycle in which all FAUs take a key.
typedef enum measure_part {
  MEASURE_FAU,  // P of them
  MEASURE_ACC,  // P - 1
  MEASURE_DIVIDER,
  MEASURE_CONTROL,  // attention_ctrl, values' addresses, registers of query and carry
  MEASURE_PARTS,
} measure_part_t;

extern const char *const measure_part_names[MEASURE_PARTS];

typedef struct measure_engine {
  double part[2][MEASURE_PARTS];  // [glitches]: data, without the clock
  double clock[MEASURE_PARTS];    // clock pins and tree
  double total[2];                // [glitches]
  double sram;                    // reading keys and values, a proxy, in no total
  measure_unit_t unit[UNIT_KINDS];
} measure_engine_t;

bool measure_engine(const measure_settings_t *settings, const liberty_t *library, measure_design_t design,
                    const unit_stimulus_t *stimulus, simulate_delay_t delay, measure_engine_t *engine,
                    base_error_t *error);

// Arithmetic of a design, for a stimulus.
void measure_arithmetic(measure_design_t design, unit_stimulus_t *stimulus);

#endif
