// Figure 7(b) of the H-FA paper: power of H-FA and FA-2 engines. Here energy per cycle of mapped
// netlists, their nets' changes counted while they work on real queries, keys and values.
// SPDX-License-Identifier: Apache-2.0
#include "cli/report/report_power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option/parse.h"
#include "host/parallel.h"

static bool read_sizes(const char *text, power_table_t *table, cli_error_t *error) {
  const char *at = text;
  for (table->sizes = 0;; ++at) {
    char number[24];
    uint64_t value;
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", (int)length, at);
    if (length >= sizeof number || !parse_count(number, &value) || value < 4 || value > 256 ||
        table->sizes == POWER_SIZES_MAX) {
      return cli_fail(error, "--head-dim: expected up to %d whole numbers from 4 to 256, as 32,64, "
                             "got '%s'", POWER_SIZES_MAX, text);
    }
    table->d[table->sizes++] = (size_t)value;
    at += length;
    if (*at == '\0') {
      return true;
    }
  }
}

static bool allocate(power_table_t *table, cli_error_t *error) {
  table->rows = table->sizes * MEASURE_DESIGNS * POWER_INPUTS;
  table->row = calloc(table->rows, sizeof *table->row);
  if (table->row == NULL) {
    return cli_fail(error, "power: out of memory");
  }
  for (size_t i = 0; i < table->rows; ++i) {
    table->row[i].d = table->d[i / (MEASURE_DESIGNS * POWER_INPUTS)];
    table->row[i].design = (measure_design_t)(i / POWER_INPUTS % MEASURE_DESIGNS);
    table->row[i].input = (power_input_t)(i % POWER_INPUTS);
  }
  return true;
}

// --- measuring --------------------------------------------------------------------------------

typedef struct work {
  const measure_settings_t *settings;
  const liberty_t *library;
  const power_set_t *sets;     // [POWER_INPUTS]
  power_row_t *row;            // of one size
  cli_error_t *error;          // [rows of one size]
} work_t;

static bool measure_rows(void *context, size_t first, size_t end) {
  const work_t *work = context;
  for (size_t i = first; i < end; ++i) {
    power_row_t *row = &work->row[i];
    unit_stimulus_t stimulus = {.d = row->d, .blocks = POWER_BLOCKS,
                                .rows = POWER_KEYS / POWER_BLOCKS,
                                .query = work->sets[row->input].query, .queries = POWER_QUERIES};
    measure_arithmetic(row->design, &stimulus);
    if (report_interrupted() ||
        !measure_engine(work->settings, work->library, row->design, &stimulus, SIMULATE_INERTIAL,
                        &row->engine, &work->error[i])) {
      return false;
    }
  }
  return true;
}

// A netlist at a time: the tools need memory.
static bool make_netlists(const measure_settings_t *settings, measure_design_t first,
                          measure_design_t end, size_t d, cli_error_t *error) {
  char folder[512];
  for (measure_design_t design = first; design < end; ++design) {
    for (unit_kind_t kind = UNIT_FAU; kind < UNIT_KINDS; ++kind) {
      if (report_interrupted()) {
        return cli_fail(error, "interrupted");
      }
      if (!measure_netlist(settings, design, kind, d, POWER_BLOCKS, POWER_KEYS / POWER_BLOCKS,
                           folder, error)) {
        return false;
      }
    }
  }
  return true;
}

static bool measure_all(work_t *work, size_t rows, cli_error_t *error) {
  work->error = calloc(rows, sizeof *work->error);
  if (work->error == NULL) {
    return cli_fail(error, "power: out of memory");
  }
  const bool good = parallel_for(parallel_host_threads(), rows, measure_rows, work);
  cli_fail(error, "interrupted");
  for (size_t i = 0; i < rows; ++i) {
    if (work->error[i].text[0] != '\0') {
      *error = work->error[i];
    }
  }
  free(work->error);
  return good;
}

static void free_sets(power_set_t sets[POWER_INPUTS]) {
  for (size_t i = 0; i < POWER_INPUTS; ++i) {
    power_set_free(&sets[i]);
  }
}

static bool fill_sets(size_t d, power_set_t sets[POWER_INPUTS], cli_error_t *error) {
  memset(sets, 0, POWER_INPUTS * sizeof *sets);
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    if (!power_set_fill(input, d, &sets[input], error)) {
      free_sets(sets);
      return false;
    }
  }
  return true;
}

static bool measure_table(const report_context_t *context, const measure_settings_t *settings,
                          const liberty_t *library, power_table_t *table, cli_exit_t *code,
                          cli_error_t *error) {
  for (size_t i = 0; i < table->sizes; ++i) {
    char what[64];
    power_set_t sets[POWER_INPUTS];
    work_t work = {settings, library, sets,
                   &table->row[i * MEASURE_DESIGNS * POWER_INPUTS], NULL};
    snprintf(what, sizeof what, "netlists, d %zu", table->d[i]);
    if (!report_step(context, 2 * i + 1, 2 * table->sizes, what, code, error) ||
        !make_netlists(settings, MEASURE_HFA, MEASURE_DESIGNS, table->d[i], error) ||
        !fill_sets(table->d[i], sets, error)) {
      return false;
    }
    snprintf(what, sizeof what, "simulation of the netlists, d %zu", table->d[i]);
    const bool good = report_step(context, 2 * i + 2, 2 * table->sizes, what, code, error) &&
                      measure_all(&work, MEASURE_DESIGNS * POWER_INPUTS, error);
    free_sets(sets);
    if (!good) {
      *code = report_interrupted() ? CLI_INTERRUPTED : *code;
      return false;
    }
  }
  return true;
}

measure_settings_t power_settings(const synth_flow_t *flow) {
  measure_settings_t settings =
      measure_usual(flow->liberty, flow->clock_fo4, flow->clock_fo4 * flow->fo4_ps / 1000);
  settings.key = flow->key;
  return settings;
}

bool power_measure(const synth_flow_t *flow, measure_design_t design, size_t d,
                   measure_engine_t engine[POWER_INPUTS], double *voltage, cli_error_t *error) {
  const measure_settings_t settings = power_settings(flow);
  power_set_t sets[POWER_INPUTS];
  power_row_t row[POWER_INPUTS];
  liberty_t library;
  if (!make_netlists(&settings, design, design + 1, d, error) ||
      !liberty_read(settings.liberty, &library, error)) {
    return false;
  }
  *voltage = library.voltage;
  bool good = fill_sets(d, sets, error);
  if (good) {
    work_t work = {&settings, &library, sets, row, NULL};
    for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
      row[input] = (power_row_t){.d = d, .design = design, .input = input};
    }
    good = measure_all(&work, POWER_INPUTS, error);
    free_sets(sets);
  }
  for (size_t i = 0; good && i < POWER_INPUTS; ++i) {
    engine[i] = row[i].engine;
  }
  liberty_free(&library);
  return good;
}

// --- over the inputs --------------------------------------------------------------------------

static power_spread_t spread(const double values[POWER_INPUTS]) {
  power_spread_t it = {0, INFINITY, -INFINITY};
  for (size_t i = 0; i < POWER_INPUTS; ++i) {
    it.mean += values[i] / POWER_INPUTS;
    it.least = fmin(it.least, values[i]);
    it.most = fmax(it.most, values[i]);
  }
  return it;
}

power_spread_t power_total(const power_table_t *table, size_t size, measure_design_t design,
                           bool glitches) {
  double values[POWER_INPUTS];
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    values[input] = power_row(table, size, design, input)->engine.total[glitches];
  }
  return spread(values);
}

power_spread_t power_saving(const power_table_t *table, size_t size, measure_design_t design,
                            measure_design_t than, bool glitches, bool with_sram) {
  double values[POWER_INPUTS];
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    const measure_engine_t *a = &power_row(table, size, design, input)->engine;
    const measure_engine_t *b = &power_row(table, size, than, input)->engine;
    const double sram = with_sram ? b->sram : 0;
    values[input] = 100 * (1 - (a->total[glitches] + sram) / (b->total[glitches] + sram));
  }
  return spread(values);
}

// --- the report -------------------------------------------------------------------------------

static bool measure_and_write(const report_context_t *context, const measure_settings_t *settings,
                              power_table_t *table, cli_exit_t *code, cli_error_t *error) {
  liberty_t library;
  report_files_t files = power_files;
  files.data = table;
  if (!liberty_read(settings->liberty, &library, error)) {
    return false;
  }
  const bool good = allocate(table, error) &&
                    measure_table(context, settings, &library, table, code, error) &&
                    report_write(&files, context->options->report_out, error);
  free(table->row);
  liberty_free(&library);
  return good;
}

bool report_power(const report_context_t *context, cli_exit_t *code, cli_error_t *error) {
  synth_flow_t flow;
  power_table_t table = {.sizes = 0};
  *code = CLI_BAD_INPUT;
  if (!read_sizes(context->options->report_d, &table, error) ||
      !synth_open(context->options, &flow, error)) {
    return false;
  }
  const measure_settings_t settings = power_settings(&flow);
  table.library = flow.name;
  table.period = settings.period;
  table.wire = settings.graph.wire;
  table.fanout = settings.fanout;
  table.clock_fo4 = settings.clock_fo4;
  return measure_and_write(context, &settings, &table, code, error);
}
