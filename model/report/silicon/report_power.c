// Figure 7(b) of the H-FA paper: power of H-FA and FA-2 engines. Here energy per cycle of mapped
// netlists, their nets' changes counted while they work on real queries, keys and values.
// SPDX-License-Identifier: Apache-2.0
#include "report/silicon/report_power.h"
#include "report/silicon/report_synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "host/jobs.h"

static bool read_sizes(const char *text, power_table_t *table, base_error_t *error) {
  const char *at = text;
  for (table->sizes = 0;; ++at) {
    char number[24];
    uint64_t value;
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", (int)length, at);
    if (length >= sizeof number || !parse_count(number, &value) || value < 4 || value > 256 ||
        table->sizes == POWER_SIZES_MAX) {
      return base_fail(error,
                       "--head-dim: expected up to %d whole numbers from 4 to 256, as 32,64, "
                       "got '%s'",
                       POWER_SIZES_MAX, text);
    }
    table->d[table->sizes++] = (size_t)value;
    at += length;
    if (*at == '\0') {
      return true;
    }
  }
}

static bool allocate(power_table_t *table, base_error_t *error) {
  table->rows = table->sizes * MEASURE_DESIGNS * POWER_INPUTS;
  table->row = calloc(table->rows, sizeof *table->row);
  if (table->row == NULL) {
    return base_fail(error, "power: out of memory");
  }
  for (size_t i = 0; i < table->rows; ++i) {
    table->row[i].d = table->d[i / (MEASURE_DESIGNS * POWER_INPUTS)];
    table->row[i].design = (measure_design_t)(i / POWER_INPUTS % MEASURE_DESIGNS);
    table->row[i].input = (power_input_t)(i % POWER_INPUTS);
  }
  return true;
}

// --- measuring --------------------------------------------------------------------------------

enum { BLOCK_KEYS = POWER_KEYS / POWER_BLOCKS };

// A unit of a row's engine.
typedef struct part {
  const power_row_t *row;
  unit_kind_t kind;
} part_t;

// What the jobs share: units of some rows, all of one size.
typedef struct work {
  const measure_settings_t *settings;
  const liberty_t *library;
  const power_set_t *sets;     // [POWER_INPUTS]
  part_t *part;                // [parts] none of them twice
  size_t parts;
  base_error_t *error;  // [parts]
} work_t;

static unit_stimulus_t stimulus_of(const work_t *work, const power_row_t *row) {
  unit_stimulus_t stimulus = {.d = row->d, .blocks = POWER_BLOCKS, .rows = BLOCK_KEYS,
                              .query = work->sets[row->input].query, .queries = POWER_QUERIES};
  measure_arithmetic(row->design, &stimulus);
  return stimulus;
}

static bool make_netlist(void *context, size_t job, jobs_t *jobs) {
  const work_t *work = context;
  const part_t *part = &work->part[job];
  char folder[512];
  (void)jobs;
  return part->row->input != POWER_LM ||   // one for all inputs
         measure_netlist(work->settings, part->row->design, part->kind, part->row->d, POWER_BLOCKS,
                         BLOCK_KEYS, folder, &work->error[job]);
}

static bool measure_part(void *context, size_t job, jobs_t *jobs) {
  const work_t *work = context;
  const part_t *part = &work->part[job];
  const unit_stimulus_t stimulus = stimulus_of(work, part->row);
  measure_unit_t unit;
  (void)jobs;
  return measure_unit(work->settings, work->library, part->row->design, part->kind, &stimulus,
                      SIMULATE_INERTIAL, &unit, &work->error[job]);
}

static bool run_parts(work_t *work, jobs_fn *fn, base_error_t *error) {
  memset(work->error, 0, work->parts * sizeof *work->error);
  const bool good = jobs_run(work->parts, fn, work);
  for (size_t i = work->parts; !good && i-- > 0;) {   // of several, the first
    if (work->error[i].text[0] != '\0') {
      *error = work->error[i];
    }
  }
  return good;
}

// The largest first. Control and addresses are driven by no input.
static bool list_parts(work_t *work, const power_row_t *row, size_t rows, base_error_t *error) {
  work->part = calloc(rows * UNIT_KINDS, sizeof *work->part);
  work->error = calloc(rows * UNIT_KINDS, sizeof *work->error);
  if (work->part == NULL || work->error == NULL) {
    return base_fail(error, "power: out of memory");
  }
  for (unit_kind_t kind = UNIT_FAU; kind < UNIT_KINDS; ++kind) {
    for (size_t i = rows; i-- > 0;) {
      if (kind < UNIT_CONTROL || row[i].input == POWER_LM) {
        work->part[work->parts++] = (part_t){&row[i], kind};
      }
    }
  }
  return true;
}

// The cells of all units, as areas have them.
static bool make_units(const synth_flow_t *flow, const work_t *work, base_error_t *error) {
  synth_wants_t *wants = calloc(1, sizeof *wants);
  if (wants == NULL) {
    return base_fail(error, "power: out of memory");
  }
  for (size_t i = 0; i < work->parts; ++i) {
    const part_t *part = &work->part[i];
    synth_want_t want = {.clock_fo4 = flow->clock_fo4, .boxes = true};
    char words[512];
    measure_words(part->row->design, part->kind, part->row->d, POWER_BLOCKS, BLOCK_KEYS, words);
    if (sscanf(words, "%63s %255[^\n]", want.unit, want.params) == 2) {
      synth_want(wants, &want);
    }
  }
  const bool good = synth_make(flow, wants, error);
  free(wants);
  return good;
}

// By now each unit's result is kept.
static bool add_up(const work_t *work, power_row_t *row, size_t rows, base_error_t *error) {
  for (size_t i = 0; i < rows; ++i) {
    const unit_stimulus_t stimulus = stimulus_of(work, &row[i]);
    if (!measure_engine(work->settings, work->library, row[i].design, &stimulus, SIMULATE_INERTIAL,
                        &row[i].engine, error)) {
      return false;
    }
  }
  return true;
}

static void free_sets(power_set_t sets[POWER_INPUTS]) {
  for (size_t i = 0; i < POWER_INPUTS; ++i) {
    power_set_free(&sets[i]);
  }
}

static bool fill_sets(size_t d, power_set_t sets[POWER_INPUTS], base_error_t *error) {
  memset(sets, 0, POWER_INPUTS * sizeof *sets);
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    if (!power_set_fill(input, d, &sets[input], error)) {
      free_sets(sets);
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

// All rows are of one size.
static bool measure_rows(const synth_flow_t *flow, const liberty_t *library, power_row_t *row,
                         size_t rows, base_error_t *error) {
  const measure_settings_t settings = power_settings(flow);
  power_set_t sets[POWER_INPUTS];
  work_t work = {.settings = &settings, .library = library, .sets = sets};
  if (!fill_sets(row->d, sets, error)) {
    return false;
  }
  const bool good = list_parts(&work, row, rows, error) && make_units(flow, &work, error) &&
                    run_parts(&work, make_netlist, error) &&
                    run_parts(&work, measure_part, error) && add_up(&work, row, rows, error);
  free(work.part);
  free(work.error);
  free_sets(sets);
  return good;
}

static bool measure_table(const report_context_t *context, const synth_flow_t *flow,
                          const liberty_t *library, power_table_t *table, base_exit_t *code,
                          base_error_t *error) {
  const size_t rows = MEASURE_DESIGNS * POWER_INPUTS;
  for (size_t i = 0; i < table->sizes; ++i) {
    char what[64];
    snprintf(what, sizeof what, "netlists and their simulation, d %zu", table->d[i]);
    if (!report_step(context, i + 1, table->sizes, what, code, error) ||
        !measure_rows(flow, library, &table->row[i * rows], rows, error)) {
      *code = report_interrupted() ? BASE_INTERRUPTED : *code;
      return false;
    }
  }
  return true;
}

bool power_measure(const synth_flow_t *flow, measure_design_t design, size_t d,
                   measure_engine_t engine[POWER_INPUTS], double *voltage, base_error_t *error) {
  power_row_t row[POWER_INPUTS];
  liberty_t library;
  if (!liberty_read(flow->liberty, &library, error)) {
    return false;
  }
  *voltage = library.voltage;
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    row[input] = (power_row_t){.d = d, .design = design, .input = input};
  }
  const bool good = measure_rows(flow, &library, row, POWER_INPUTS, error);
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

static bool measure_and_write(const report_context_t *context, const synth_flow_t *flow,
                              power_table_t *table, base_exit_t *code, base_error_t *error) {
  liberty_t library;
  if (!liberty_read(flow->liberty, &library, error)) {
    return false;
  }
  const bool good = allocate(table, error) &&
                    measure_table(context, flow, &library, table, code, error) &&
                    report_write(context, &power_files, table, error);
  free(table->row);
  liberty_free(&library);
  return good;
}

bool report_power(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  synth_flow_t flow;
  power_table_t table = {.sizes = 0};
  *code = BASE_BAD_INPUT;
  if (!read_sizes(context->settings->head_dim, &table, error) ||
      !report_synth_open(context, &flow, error)) {
    return false;
  }
  const measure_settings_t settings = power_settings(&flow);
  table.library = flow.name;
  table.period = settings.period;
  table.wire = settings.graph.wire;
  table.fanout = settings.fanout;
  table.clock_fo4 = settings.clock_fo4;
  return measure_and_write(context, &flow, &table, code, error);
}
