// SPDX-License-Identifier: Apache-2.0
#include "report/silicon/energies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/jobs.h"
#include "kernel/lm/lm_capture.h"
#include "num/engine/num_bf16.h"
#include "num/num_rng.h"

// --- queries, keys and values -----------------------------------------------------------------

// Queries of one set for one size; FAU i sees a quarter of query i's keys, i = 0 .. POWER_QUERIES -
// 1.
typedef struct power_set {
  unit_query_t query[POWER_QUERIES];
  num_bf16_t *arrays;  // owned: what the queries point into
} power_set_t;

enum { STREAM_Q, STREAM_K, STREAM_V };

const char *const power_input_names[POWER_INPUTS] = {"lm", "normal", "peaked"};
const char *const power_input_texts[POWER_INPUTS] = {
    "heads of the shipped language model on held-out text, query 1023 - 64 i of head i of another "
    "layer "
    "each, over all keys it sees; for d other than the model's 64, the first 32 columns, or two "
    "heads "
    "side by side",
    "queries, keys and values N(0,1)",
    "the same with queries N(0,16): most of the weight on few keys",
};

static const double sigmas[POWER_INPUTS] = {[POWER_NORMAL] = 1, [POWER_PEAKED] = 4};

// Arrays of a query: q [d], k and v [POWER_KEYS,d].
static size_t numbers_of(size_t d) { return (1 + 2 * POWER_KEYS) * d; }

static void make_up(power_input_t input, uint64_t seed, size_t d, num_bf16_t *q) {
  num_rng_normal_bf16(seed, STREAM_Q, 0, d, sigmas[input], q);
  num_rng_normal_bf16(seed, STREAM_K, 0, POWER_KEYS * d, 1, q + d);
  num_rng_normal_bf16(seed, STREAM_V, 0, POWER_KEYS * d, 1, q + d + POWER_KEYS * d);
}

// Column c is that of head first + c / capture->d.
static void gather(const lm_capture_t *capture, size_t layer, size_t first, size_t token, size_t d, num_bf16_t *q) {
  for (size_t c = 0; c < d; ++c) {
    const lm_head_t head = lm_capture_head(capture, layer, first + c / capture->d);
    const size_t column = c % capture->d;
    q[c] = head.q[token * capture->d + column];
    for (size_t i = 0; i < POWER_KEYS; ++i) {
      q[d + i * d + c] = head.k[i * capture->d + column];
      q[d + (POWER_KEYS + i) * d + c] = head.v[i * capture->d + column];
    }
  }
}

static bool fill_lm(size_t d, power_set_t *set, base_error_t *error) {
  lm_capture_t capture;
  if (!lm_capture(0, POWER_KEYS, &capture, error)) {
    return false;
  }
  const size_t heads = (d + capture.d - 1) / capture.d;
  const bool good = heads <= capture.heads || base_fail(error, "power: the language model has %zu columns, not %zu",
                                                        capture.heads * capture.d, d);
  for (size_t i = 0; good && i < POWER_QUERIES; ++i) {
    const size_t token = POWER_KEYS - 1 - 64 * i;
    gather(&capture, i % capture.layers, i % (capture.heads - heads + 1), token, d, set->arrays + i * numbers_of(d));
    set->query[i].keys = token + 1;
  }
  lm_capture_free(&capture);
  return good;
}

static void free_set(power_set_t *set) {
  free(set->arrays);
  *set = (power_set_t){.arrays = NULL};
}

static bool fill_set(power_input_t input, size_t d, power_set_t *set, base_error_t *error) {
  *set = (power_set_t){.arrays = malloc(POWER_QUERIES * numbers_of(d) * sizeof *set->arrays)};
  if (set->arrays == NULL) {
    return base_fail(error, "power: out of memory");
  }
  if (input == POWER_LM && !fill_lm(d, set, error)) {
    free_set(set);
    return false;
  }
  for (size_t i = 0; i < POWER_QUERIES; ++i) {
    num_bf16_t *q = set->arrays + i * numbers_of(d);
    if (input != POWER_LM) {
      make_up(input, i, d, q);
      set->query[i].keys = POWER_KEYS;
    }
    for (size_t c = 0; c < d; ++c) {
      q[c] = num_bf16_scale(q[c], (float)(1 / sqrt((double)d)));
    }
    set->query[i].q = q;
    set->query[i].k = q + d;
    set->query[i].v = q + d + POWER_KEYS * d;
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

// Shared by the jobs: units of some rows, all of one size.
typedef struct work {
  const measure_settings_t *settings;
  const liberty_t *library;
  const power_set_t *sets;  // [POWER_INPUTS]
  part_t *part;             // [parts] none of them twice
  size_t parts;
  base_error_t *error;  // [parts]
} work_t;

static unit_stimulus_t stimulus_of(const work_t *work, const power_row_t *row) {
  unit_stimulus_t stimulus = {.d = row->d,
                              .blocks = POWER_BLOCKS,
                              .rows = BLOCK_KEYS,
                              .query = work->sets[row->input].query,
                              .queries = POWER_QUERIES};
  measure_arithmetic(row->design, &stimulus);
  return stimulus;
}

static bool make_netlist(void *context, size_t job, jobs_t *jobs) {
  const work_t *work = context;
  const part_t *part = &work->part[job];
  char folder[SYNTH_PATH_BYTES];
  (void)jobs;
  return part->row->input != POWER_LM ||  // one for all inputs
         measure_netlist(work->settings, part->row->design, part->kind, part->row->d, POWER_BLOCKS, BLOCK_KEYS, folder,
                         &work->error[job]);
}

static bool measure_part(void *context, size_t job, jobs_t *jobs) {
  const work_t *work = context;
  const part_t *part = &work->part[job];
  const unit_stimulus_t stimulus = stimulus_of(work, part->row);
  measure_unit_t unit;
  (void)jobs;
  return measure_unit(work->settings, work->library, part->row->design, part->kind, &stimulus, SIMULATE_INERTIAL, &unit,
                      &work->error[job]);
}

static bool run_parts(work_t *work, jobs_fn *fn, base_error_t *error) {
  memset(work->error, 0, work->parts * sizeof *work->error);
  const bool good = jobs_run(work->parts, fn, work);
  for (size_t i = work->parts; !good && i-- > 0;) {  // of several, the first
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
    char words[SYNTH_PARAMS_BYTES];
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
    if (!measure_engine(work->settings, work->library, row[i].design, &stimulus, SIMULATE_INERTIAL, &row[i].engine,
                        error)) {
      return false;
    }
  }
  return true;
}

static void free_sets(power_set_t sets[POWER_INPUTS]) {
  for (size_t i = 0; i < POWER_INPUTS; ++i) {
    free_set(&sets[i]);
  }
}

static bool fill_sets(size_t d, power_set_t sets[POWER_INPUTS], base_error_t *error) {
  memset(sets, 0, POWER_INPUTS * sizeof *sets);
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    if (!fill_set(input, d, &sets[input], error)) {
      free_sets(sets);
      return false;
    }
  }
  return true;
}

measure_settings_t power_settings(const synth_flow_t *flow) {
  measure_settings_t settings = measure_usual(flow->liberty, flow->clock_fo4, flow->clock_fo4 * flow->fo4_ps / 1000);
  settings.key = flow->key;
  return settings;
}

bool power_measure(const synth_flow_t *flow, const liberty_t *library, power_row_t *row, size_t rows,
                   base_error_t *error) {
  const measure_settings_t settings = power_settings(flow);
  power_set_t sets[POWER_INPUTS];
  work_t work = {.settings = &settings, .library = library, .sets = sets};
  if (!fill_sets(row->d, sets, error)) {
    return false;
  }
  const bool good = list_parts(&work, row, rows, error) && make_units(flow, &work, error) &&
                    run_parts(&work, make_netlist, error) && run_parts(&work, measure_part, error) &&
                    add_up(&work, row, rows, error);
  free(work.part);
  free(work.error);
  free_sets(sets);
  return good;
}
