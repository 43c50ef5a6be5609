// SPDX-License-Identifier: Apache-2.0
#include "silicon/power/measure.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "power_sources.h"

static const char *const design_names[MEASURE_DESIGNS] = {"hfa", "hfa_corrected", "fa2", "fa2_onemul", "expmul"};

const char *const measure_part_names[MEASURE_PARTS] = {"fau", "acc", "divider", "control"};

const char *measure_design_name(measure_design_t design) { return design_names[design]; }

measure_settings_t measure_usual(const char *liberty, size_t clock_fo4, double period) {
  return (measure_settings_t){.liberty = liberty,
                              .clock_fo4 = clock_fo4,
                              .graph = {.wire = 0.005, .port_load = 0.01, .transition = 0.2},
                              .fanout = 16,
                              .period = period};
}

static num_design_t arithmetic_of(measure_design_t design) {
  switch (design) {
    case MEASURE_FA2:
    case MEASURE_FA2_ONEMUL:
      return NUM_DESIGN_FA2;
    case MEASURE_EXPMUL:
      return NUM_DESIGN_EXPMUL;
    default:
      return NUM_DESIGN_HFA;
  }
}

void measure_arithmetic(measure_design_t design, unit_stimulus_t *stimulus) {
  stimulus->arithmetic = arithmetic_of(design);
  stimulus->hfa = (num_hfa_t){.corrected = design == MEASURE_HFA_CORRECTED};
}

// --- netlists ---------------------------------------------------------------------------------

static size_t log2_up(size_t n) {
  size_t bits = 0;
  while ((size_t)1 << bits < n) {
    bits += 1;
  }
  return bits;
}

void measure_words(measure_design_t design, unit_kind_t kind, size_t d, size_t blocks, size_t rows,
                   char words[SYNTH_PARAMS_BYTES]) {
  const int arithmetic = (int)arithmetic_of(design);
  const int variant = design == MEASURE_HFA_CORRECTED || design == MEASURE_FA2_ONEMUL;
  switch (kind) {
    case UNIT_FAU:
    case UNIT_ACC:
      snprintf(words, SYNTH_PARAMS_BYTES, "%s ARITHMETIC=%d D=%zu VARIANT=%d", kind == UNIT_FAU ? "fau" : "acc",
               arithmetic, d, variant);  // in the order of a roll-up, which has synthesised them
      break;
    case UNIT_DIVIDER:
      snprintf(words, SYNTH_PARAMS_BYTES, "divide ARITHMETIC=%d D=%zu NQ=1", arithmetic, d);
      break;
    case UNIT_CONTROL:
      snprintf(words, SYNTH_PARAMS_BYTES, "attention_ctrl P=%zu NQ=1 ROWS=%zu", blocks, rows);
      break;
    default:
      snprintf(words, SYNTH_PARAMS_BYTES, "delay_line W=%zu DEPTH=%zu", log2_up(rows) + 1, 9 + log2_up(d));
      break;
  }
}

bool measure_netlist(const measure_settings_t *settings, measure_design_t design, unit_kind_t kind, size_t d,
                     size_t blocks, size_t rows, char folder[SYNTH_PATH_BYTES], base_error_t *error) {
  char words[SYNTH_PARAMS_BYTES];
  measure_words(design, kind, d, blocks, rows, words);
  return synth_netlist(settings->liberty, settings->clock_fo4, settings->key, words, folder, error);
}

// --- results that are kept --------------------------------------------------------------------

typedef struct sum {
  uint64_t value;
} sum_t;

// FNV-1a.
static void add_bytes(sum_t *sum, const void *data, size_t bytes) {
  const uint8_t *at = data;
  for (size_t i = 0; i < bytes; ++i) {
    sum->value = (sum->value ^ at[i]) * 0x100000001b3u;
  }
}

static void add_number(sum_t *sum, double number) { add_bytes(sum, &number, sizeof number); }

// The netlist is named by its folder, and this program's sources by a sum made when it is built.
static uint64_t sum_of(const measure_settings_t *settings, unit_kind_t kind, const unit_stimulus_t *s,
                       simulate_delay_t delay) {
  const double numbers[] = {settings->graph.wire,
                            settings->graph.port_load,
                            settings->graph.transition,
                            (double)settings->fanout,
                            settings->period,
                            (double)kind,
                            (double)delay,
                            (double)s->arithmetic,
                            s->hfa.corrected,
                            s->hfa.zero_exact,
                            (double)s->d,
                            (double)s->blocks,
                            (double)s->rows};
  sum_t sum = {0xcbf29ce484222325u};
  add_bytes(&sum, POWER_SOURCES, sizeof POWER_SOURCES);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    add_number(&sum, numbers[i]);
  }
  for (size_t i = 0; kind < UNIT_CONTROL && i < s->queries; ++i) {
    const unit_query_t *query = &s->query[i];
    add_number(&sum, (double)query->keys);
    add_bytes(&sum, query->q, s->d * sizeof *query->q);
    add_bytes(&sum, query->k, query->keys * s->d * sizeof *query->k);
    add_bytes(&sum, query->v, query->keys * s->d * sizeof *query->v);
  }
  return sum.value;
}

typedef struct field {
  const char *name;
  size_t offset;
} field_t;

#define ENERGY(kind, name) \
  { #kind "." #name, offsetof(measure_unit_t, kind.name) }
#define ENERGIES(kind)                                                                                            \
  ENERGY(kind, switching), ENERGY(kind, inputs), ENERGY(kind, internal), ENERGY(kind, clock), ENERGY(kind, tree), \
      ENERGY(kind, leakage), ENERGY(kind, total), ENERGY(kind, changes), ENERGY(kind, nets),                      \
      ENERGY(kind, unannotated), ENERGY(kind, still), ENERGY(kind, without_power), ENERGY(kind, data[0]),         \
      ENERGY(kind, data[1]), ENERGY(kind, data[2]), ENERGY(kind, clocked[0]), ENERGY(kind, clocked[1]),           \
      ENERGY(kind, clocked[2])
#define FIELD(name) \
  { #name, offsetof(measure_unit_t, name) }

static const field_t fields[] = {ENERGIES(settled), ENERGIES(all),        FIELD(cycles), FIELD(operations),
                                 FIELD(outputs),    FIELD(settled_after), FIELD(cells),  FIELD(flops)};
enum { FIELDS = sizeof fields / sizeof *fields };

static double *field_of(measure_unit_t *unit, size_t i) { return (double *)(void *)((char *)unit + fields[i].offset); }

static bool read_kept(const char *path, measure_unit_t *unit) {
  char text[8192];
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return false;
  }
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  cJSON *root = cJSON_Parse(text);
  bool good = root != NULL;
  for (size_t i = 0; good && i < FIELDS; ++i) {
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(root, fields[i].name);
    good = cJSON_IsNumber(number);
    *field_of(unit, i) = good ? number->valuedouble : 0;
  }
  cJSON_Delete(root);
  return good;
}

// A result that cannot be kept is measured again next time. All digits: what is read is what was
// measured.
static void keep(const char *path, measure_unit_t *unit) {
  char new_path[SYNTH_PATH_BYTES + 128];
  snprintf(new_path, sizeof new_path, "%s.XXXXXX", path);
  const int descriptor = mkstemp(new_path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file == NULL) {
    return;
  }
  for (size_t i = 0; i < FIELDS; ++i) {
    fprintf(file, "%s\"%s\": %.17g", i == 0 ? "{" : ",\n", fields[i].name, *field_of(unit, i));
  }
  fputs("}\n", file);
  const bool good = ferror(file) == 0;
  if (fclose(file) != 0 || !good || rename(new_path, path) != 0) {
    remove(new_path);
  }
}

// --- one unit ---------------------------------------------------------------------------------

static bool count_activity(const graph_t *graph, unit_kind_t kind, const unit_stimulus_t *stimulus,
                           simulate_delay_t delay, const energy_settings_t *settings, measure_unit_t *unit,
                           base_error_t *error) {
  activity_t activity;
  unit_work_t work;
  if (!activity_alloc(graph->netlist->nets, &activity, error)) {
    return false;
  }
  const bool good = unit_simulate(graph, kind, stimulus, delay, &activity, &work, error);
  if (good) {
    unit->settled = energy_of(graph, &activity, false, settings);
    unit->all = energy_of(graph, &activity, true, settings);
    unit->cycles = (double)activity.cycles;
    unit->operations = (double)work.operations;
    unit->outputs = (double)work.outputs;
    unit->settled_after = (double)work.settled_after;
    unit->cells = (double)graph->netlist->cells;
    unit->flops = (double)graph->flops;
  }
  activity_free(&activity);
  return good;
}

static bool simulate_file(const measure_settings_t *settings, const liberty_t *library, unit_kind_t kind,
                          const unit_stimulus_t *stimulus, simulate_delay_t delay, measure_unit_t *unit,
                          base_error_t *error) {
  char path[SYNTH_PATH_BYTES + 32];
  netlist_t netlist;
  graph_t graph;
  const lib_cell_t *buffer = liberty_buffer(library);
  const energy_settings_t energy = {settings->period, buffer, settings->fanout};
  if (buffer == NULL) {
    return base_fail(error, "%s: no buffer", settings->liberty);
  }
  snprintf(path, sizeof path, "%s/netlist.json", unit->netlist);
  if (!netlist_read(path, library, &netlist, error)) {
    return false;
  }
  bool good = netlist_buffer(&netlist, buffer, settings->fanout, error) &&
              graph_build(&netlist, library, &settings->graph, &graph, error);
  if (good) {
    good = count_activity(&graph, kind, stimulus, delay, &energy, unit, error);
    graph_free(&graph);
  }
  netlist_free(&netlist);
  return good;
}

bool measure_unit(const measure_settings_t *settings, const liberty_t *library, measure_design_t design,
                  unit_kind_t kind, const unit_stimulus_t *stimulus, simulate_delay_t delay, measure_unit_t *unit,
                  base_error_t *error) {
  char path[SYNTH_PATH_BYTES + 64];
  *unit = (measure_unit_t){.netlist = ""};
  if (!measure_netlist(settings, design, kind, stimulus->d, stimulus->blocks, stimulus->rows, unit->netlist, error)) {
    return false;
  }
  snprintf(path, sizeof path, "%s/power-%016llx.json", unit->netlist,
           (unsigned long long)sum_of(settings, kind, stimulus, delay));
  if (read_kept(path, unit)) {
    return true;
  }
  if (!simulate_file(settings, library, kind, stimulus, delay, unit, error)) {
    return false;
  }
  keep(path, unit);
  return true;
}

// --- a whole engine ---------------------------------------------------------------------------

// Cycles from one query to the next.
static double rows_of_query(const unit_stimulus_t *s) {
  double rows = 0;
  for (size_t i = 0; i < s->queries; ++i) {
    const size_t in_a_block = (s->query[i].keys + s->blocks - 1) / s->blocks;
    rows += (double)in_a_block;
  }
  return rows / (double)s->queries;
}

static double clock_of(const energy_t *energy) { return energy->clock + energy->tree; }

// Energy of everything but the clock, per cycle of the measurement.
static double data_of(const energy_t *energy) { return energy->total - clock_of(energy); }

// A unit that works once a query: its changes happen once in so many cycles, it leaks in all.
static double once_a_query(const measure_unit_t *unit, const energy_t *energy, double rows) {
  const double changing = data_of(energy) - energy->leakage;
  return changing * unit->cycles / unit->operations / rows + energy->leakage;
}

// Registers of the engine itself: the query, a carry and its maximum and poison.
static double engine_flops(size_t d) { return 16 * (double)d + 17 * ((double)d + 1) + 17; }

// pJ to read a bit of a memory of so many rows, the same for all designs (power.md).
// Bit line: a cell's drain and its share of wire, 1.6 fF a row, swings by 0.3 V and is charged
// again at the supply; sense amplifier, output latch and the bit's share of word line and decoder:
// 0.1 pJ at 1.8 V, going with its square. These are values of a single-ported 0.18 um memory without
// column multiplexers.
static double sram_bit(size_t rows, double voltage) {
  return 0.0016 * (double)rows * 0.3 * voltage + 0.1 * voltage * voltage / (1.8 * 1.8);
}

static void add_up(const unit_stimulus_t *s, double voltage, measure_engine_t *e) {
  const double rows = rows_of_query(s), blocks = (double)s->blocks;
  const measure_unit_t *unit = e->unit;
  const double flop = clock_of(&unit[UNIT_FAU].all) / unit[UNIT_FAU].flops;
  e->clock[MEASURE_FAU] = blocks * clock_of(&unit[UNIT_FAU].all);
  e->clock[MEASURE_ACC] = blocks > 1 ? (blocks - 1) * clock_of(&unit[UNIT_ACC].all) : 0;
  e->clock[MEASURE_DIVIDER] = clock_of(&unit[UNIT_DIVIDER].all);
  e->clock[MEASURE_CONTROL] =
      clock_of(&unit[UNIT_CONTROL].all) + clock_of(&unit[UNIT_ADDRESS].all) + flop * engine_flops(s->d);
  for (size_t glitches = 0; glitches < 2; ++glitches) {
    double *part = e->part[glitches];
    const energy_t *energy[UNIT_KINDS];
    for (size_t i = 0; i < UNIT_KINDS; ++i) {
      energy[i] = glitches ? &unit[i].all : &unit[i].settled;
    }
    part[MEASURE_FAU] = blocks * data_of(energy[UNIT_FAU]);
    part[MEASURE_ACC] = blocks > 1 ? (blocks - 1) * once_a_query(&unit[UNIT_ACC], energy[UNIT_ACC], rows) : 0;
    part[MEASURE_DIVIDER] = once_a_query(&unit[UNIT_DIVIDER], energy[UNIT_DIVIDER], rows);
    part[MEASURE_CONTROL] = data_of(energy[UNIT_CONTROL]) + data_of(energy[UNIT_ADDRESS]);
    e->total[glitches] = 0;
    for (size_t i = 0; i < MEASURE_PARTS; ++i) {
      e->total[glitches] += part[i] + e->clock[i];
    }
  }
  e->sram = 2 * blocks * 16 * (double)s->d * sram_bit(s->rows, voltage);
}

bool measure_engine(const measure_settings_t *settings, const liberty_t *library, measure_design_t design,
                    const unit_stimulus_t *stimulus, simulate_delay_t delay, measure_engine_t *engine,
                    base_error_t *error) {
  *engine = (measure_engine_t){.sram = 0};
  for (unit_kind_t kind = UNIT_FAU; kind < UNIT_KINDS; ++kind) {
    if (kind == UNIT_ACC && stimulus->blocks < 2) {
      continue;
    }
    if (!measure_unit(settings, library, design, kind, stimulus, delay, &engine->unit[kind], error)) {
      return false;
    }
  }
  add_up(stimulus, library->voltage, engine);
  return true;
}
