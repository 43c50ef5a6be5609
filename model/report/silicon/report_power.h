// Energy per cycle of whole attention engines, by design, size and input: the report `power`.
//
//   report_power.c         netlists, measurements
//   report_power_inputs.c  queries, keys and values
//   report_power_text.c    JSON, Markdown, plot
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_POWER_H
#define REPORT_POWER_H

#include "cli/synth/synth.h"
#include "power/measure.h"
#include "report/report.h"
#include "report/report_write.h"

enum { POWER_BLOCKS = 4, POWER_KEYS = 1024, POWER_QUERIES = 5, POWER_SIZES_MAX = 4 };

typedef enum power_input {
  POWER_LM,                // the shipped language model's, on held-out text
  POWER_NORMAL,            // N(0,1)
  POWER_PEAKED,            // the same with queries N(0,16): most of the weight on few keys
  POWER_INPUTS,
} power_input_t;

extern const char *const power_input_names[POWER_INPUTS];
extern const char *const power_input_texts[POWER_INPUTS];

// Queries of one set for one size; FAU i sees a quarter of query i's keys, i = 0 .. POWER_QUERIES -
// 1.
typedef struct power_set {
  unit_query_t query[POWER_QUERIES];
  num_bf16_t *arrays;      // owned: what the queries point into
} power_set_t;

bool power_set_fill(power_input_t input, size_t d, power_set_t *set, base_error_t *error);
void power_set_free(power_set_t *set);

typedef struct power_row {
  size_t d;
  measure_design_t design;
  power_input_t input;
  measure_engine_t engine;
} power_row_t;

typedef struct power_table {
  const char *library;
  double period, wire;
  size_t fanout, clock_fo4;
  size_t d[POWER_SIZES_MAX], sizes;
  power_row_t *row;        // [sizes][MEASURE_DESIGNS][POWER_INPUTS]
  size_t rows;
} power_table_t;

static inline const power_row_t *power_row(const power_table_t *table, size_t size,
                                           measure_design_t design, power_input_t input) {
  return &table->row[(size * MEASURE_DESIGNS + design) * POWER_INPUTS + input];
}

// Over the inputs.
typedef struct power_spread {
  double mean, least, most;
} power_spread_t;

power_spread_t power_total(const power_table_t *table, size_t size, measure_design_t design,
                           bool glitches);

// % that `design` uses less than `than`, input by input.
power_spread_t power_saving(const power_table_t *table, size_t size, measure_design_t design,
                            measure_design_t than, bool glitches, bool with_sram);

// What a flow's netlists are measured with.
measure_settings_t power_settings(const synth_flow_t *flow);

// One design of POWER_BLOCKS blocks, by input; voltage: the library's. False: error, or interrupted.
bool power_measure(const synth_flow_t *flow, measure_design_t design, size_t d,
                   measure_engine_t engine[POWER_INPUTS], double *voltage, base_error_t *error);

extern const report_files_t power_files;   // but for the data

#endif
