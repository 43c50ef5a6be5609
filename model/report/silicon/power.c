// Figure 7(b) of the H-FA paper: power of H-FA and FA-2 engines. Here energy per cycle of mapped
// netlists, their nets' changes counted while they work on real queries, keys and values.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "report/report_write.h"
#include "report/silicon/energies.h"
#include "report/silicon/synth.h"

enum { SIZES_MAX = 4 };

typedef struct table {
  const char *library;
  double period, wire;
  size_t fanout, clock_fo4;
  size_t d[SIZES_MAX], sizes;
  power_row_t *row;  // [sizes][MEASURE_DESIGNS][POWER_INPUTS]
  size_t rows;
} table_t;

static const power_row_t *row_of(const table_t *table, size_t size, measure_design_t design, power_input_t input) {
  return &table->row[(size * MEASURE_DESIGNS + design) * POWER_INPUTS + input];
}

// --- over the inputs --------------------------------------------------------------------------

// Over the inputs.
typedef struct spread {
  double mean, least, most;
} spread_t;

static spread_t spread_of(const double values[POWER_INPUTS]) {
  spread_t it = {0, INFINITY, -INFINITY};
  for (size_t i = 0; i < POWER_INPUTS; ++i) {
    it.mean += values[i] / POWER_INPUTS;
    it.least = fmin(it.least, values[i]);
    it.most = fmax(it.most, values[i]);
  }
  return it;
}

static spread_t total_of(const table_t *table, size_t size, measure_design_t design, bool glitches) {
  double values[POWER_INPUTS];
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    values[input] = row_of(table, size, design, input)->engine.total[glitches];
  }
  return spread_of(values);
}

static spread_t saving_of(const table_t *table, size_t size, measure_design_t design, measure_design_t than,
                          bool glitches, bool with_sram) {
  double values[POWER_INPUTS];
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    const measure_engine_t *a = &row_of(table, size, design, input)->engine;
    const measure_engine_t *b = &row_of(table, size, than, input)->engine;
    const double sram = with_sram ? b->sram : 0;
    values[input] = 100 * (1 - (a->total[glitches] + sram) / (b->total[glitches] + sram));
  }
  return spread_of(values);
}

// Section VI-C: "on average 23.4% less power"; figure 7(b) is a picture without numbers.
static const double paper_saving = 23.4;
// The paper's is reproduced if it lies within this many points of the mean, or within the spread.
static const double near_points = 3;

static const measure_design_t hfas[] = {MEASURE_HFA, MEASURE_HFA_CORRECTED};
static const measure_design_t fa2s[] = {MEASURE_FA2, MEASURE_FA2_ONEMUL};

static const char *design_text(measure_design_t design) {
  static const char *const texts[MEASURE_DESIGNS] = {"H-FA, Mitchell", "H-FA, corrected", "FA-2, two multipliers",
                                                     "FA-2, one multiplier", "ExpMul"};
  return texts[design];
}

// --- claims -----------------------------------------------------------------------------------

static bool is_near(spread_t s) {
  return fabs(s.mean - paper_saving) <= near_points || (s.least <= paper_saving && paper_saving <= s.most);
}

// A claim holds if it holds with glitches and without them; between the two, it is undecided.
static const char *verdict(spread_t without, spread_t with) {
  if (is_near(without) && is_near(with)) {
    return "**reproduced**";
  }
  const bool between = fmin(without.least, with.least) <= paper_saving && paper_saving <= fmax(without.most, with.most);
  return between || is_near(without) || is_near(with) ? "**undecided**" : "**not reproduced**";
}

// Over all d: means of the means, least and most of all.
static spread_t mean_saving(const table_t *table, measure_design_t than, bool glitches) {
  spread_t all = {0, INFINITY, -INFINITY};
  for (size_t i = 0; i < table->sizes; ++i) {
    const spread_t one = saving_of(table, i, MEASURE_HFA, than, glitches, false);
    all.mean += one.mean / (double)table->sizes;
    all.least = fmin(all.least, one.least);
    all.most = fmax(all.most, one.most);
  }
  return all;
}

// The most that could be saved: the lanes for nothing.
static double lanes_percent(const table_t *table, size_t size, bool glitches) {
  const measure_unit_t *fau = &row_of(table, size, MEASURE_FA2, POWER_LM)->engine.unit[UNIT_FAU];
  const energy_t *energy = glitches ? &fau->all : &fau->settled;
  return 100 * energy->data[NETLIST_LANES] / energy->total;
}

static double lane_saving(const table_t *table, size_t size, bool glitches) {
  const measure_unit_t *hfa = &row_of(table, size, MEASURE_HFA, POWER_LM)->engine.unit[UNIT_FAU];
  const measure_unit_t *fa2 = &row_of(table, size, MEASURE_FA2, POWER_LM)->engine.unit[UNIT_FAU];
  return glitches ? 100 * (1 - hfa->all.data[NETLIST_LANES] / fa2->all.data[NETLIST_LANES])
                  : 100 * (1 - hfa->settled.data[NETLIST_LANES] / fa2->settled.data[NETLIST_LANES]);
}

// --- the document -----------------------------------------------------------------------------

static void put_unit(cJSON *units, const char *name, const measure_unit_t *unit, bool glitches) {
  const energy_t *energy = glitches ? &unit->all : &unit->settled;
  report_put(cJSON_AddObjectToObject(units, name), NUMBER("cells", unit->cells), NUMBER("flip_flops", unit->flops),
             NUMBER("cycles", unit->cycles), NUMBER("words_equal_to_golden", unit->outputs),
             NUMBER("changes_per_net_and_cycle", energy->changes / energy->nets),
             NUMBER("nets_without_activity", energy->unannotated), NUMBER("nets_that_never_change", energy->still),
             NUMBER("switching", energy->switching), NUMBER("inputs", energy->inputs),
             NUMBER("internal", energy->internal), NUMBER("clock", energy->clock), NUMBER("clock_tree", energy->tree),
             NUMBER("leakage", energy->leakage), NUMBER("dot_product_data", energy->data[NETLIST_DOT]),
             NUMBER("lanes_data", energy->data[NETLIST_LANES]), NUMBER("settled_after_ps", unit->settled_after));
}

static void put_row(cJSON *list, const power_row_t *row, bool glitches) {
  static const char *const names[UNIT_KINDS] = {"fau", "acc", "divider", "control", "address"};
  const measure_engine_t *engine = &row->engine;
  cJSON *object = report_row(
      list, NUMBER("d", row->d), NUMBER("blocks", POWER_BLOCKS), TEXT("design", measure_design_name(row->design)),
      TEXT("input", power_input_names[row->input]), TEXT("glitch", glitches ? "yes" : "no"),
      NUMBER("pj_per_cycle", engine->total[glitches]), NUMBER("sram_pj_per_cycle", engine->sram));
  cJSON *parts = cJSON_AddObjectToObject(object, "parts");
  for (size_t i = 0; i < MEASURE_PARTS; ++i) {
    report_put(cJSON_AddObjectToObject(parts, measure_part_names[i]), NUMBER("data", engine->part[glitches][i]),
               NUMBER("clock", engine->clock[i]));
  }
  cJSON *units = cJSON_AddObjectToObject(object, "units");
  for (size_t i = 0; i < UNIT_KINDS; ++i) {
    put_unit(units, names[i], &engine->unit[i], glitches);
  }
}

static void put_spread(cJSON *object, const char *name, spread_t spread) {
  report_put(cJSON_AddObjectToObject(object, name), NUMBER("mean", spread.mean), NUMBER("least", spread.least),
             NUMBER("most", spread.most));
}

static void put_savings(const table_t *table, cJSON *list) {
  for (size_t i = 0; i < table->sizes * 8; ++i) {
    const measure_design_t design = hfas[i / 4 % 2], than = fa2s[i / 2 % 2];
    const bool glitches = i % 2 != 0;
    const size_t d = table->d[i / 8];
    cJSON *object = report_row(list, NUMBER("d", d), TEXT("design", measure_design_name(design)),
                               TEXT("than", measure_design_name(than)), TEXT("glitch", glitches ? "yes" : "no"));
    put_spread(object, "percent", saving_of(table, i / 8, design, than, glitches, false));
    put_spread(object, "percent_with_sram", saving_of(table, i / 8, design, than, glitches, true));
  }
}

// A line of the table of savings, and of the claims.
static void put_pair(const table_t *table, size_t size, measure_design_t design, measure_design_t than, cJSON *list) {
  const spread_t without = saving_of(table, size, design, than, false, false);
  const spread_t with = saving_of(table, size, design, than, true, false);
  cJSON *row = report_row(list, NUMBER("d", table->d[size]), TEXT("design", design_text(design)),
                          TEXT("than", design_text(than)), NUMBER("claimed", design == MEASURE_HFA),
                          TEXT("verdict", verdict(without, with)));
  put_spread(row, "without", without);
  put_spread(row, "with", with);
  put_spread(row, "sram", saving_of(table, size, design, than, true, true));
}

static void put_mean(const table_t *table, measure_design_t than, cJSON *list) {
  const spread_t without = mean_saving(table, than, false);
  const spread_t with = mean_saving(table, than, true);
  report_row(list, TEXT("than", design_text(than)), NUMBER("without", without.mean), NUMBER("with", with.mean),
             TEXT("verdict", verdict(without, with)));
}

// An engine of a size, and its FAU on the language model's data.
static void put_engine(const table_t *table, size_t size, measure_design_t design, cJSON *list) {
  const measure_engine_t *engine = &row_of(table, size, design, POWER_LM)->engine;
  const energy_t *all = &engine->unit[UNIT_FAU].all, *settled = &engine->unit[UNIT_FAU].settled;
  double clock = 0;
  for (size_t part = 0; part < MEASURE_PARTS; ++part) {
    clock += engine->clock[part];
  }
  cJSON *row = report_row(
      list, NUMBER("d", table->d[size]), TEXT("design", design_text(design)), TEXT("name", measure_design_name(design)),
      NUMBER("place", size * (MEASURE_DESIGNS + 1) + design), NUMBER("clock", clock), NUMBER("sram", engine->sram),
      NUMBER("fau/dot", all->data[NETLIST_DOT]), NUMBER("fau/dot_settled", settled->data[NETLIST_DOT]),
      NUMBER("fau/lanes", all->data[NETLIST_LANES]), NUMBER("fau/lanes_settled", settled->data[NETLIST_LANES]),
      NUMBER("fau/other", all->data[NETLIST_OTHER]), NUMBER("fau/other_settled", settled->data[NETLIST_OTHER]),
      NUMBER("fau/clock", all->clock + all->tree), NUMBER("fau/inputs", all->inputs),
      NUMBER("fau/inputs_settled", settled->inputs), NUMBER("fau/changes", all->changes / all->nets),
      NUMBER("fau/changes_settled", settled->changes / settled->nets));
  put_spread(row, "without", total_of(table, size, design, false));
  put_spread(row, "with", total_of(table, size, design, true));
}

static void put_annotation(const table_t *table, cJSON *root) {
  double worst = 0, without = 0, words = 0;
  for (size_t i = 0; i < table->rows; ++i) {
    for (size_t j = 0; j < UNIT_KINDS; ++j) {
      const measure_unit_t *unit = &table->row[i].engine.unit[j];
      worst = fmax(worst, unit->all.unannotated);
      without = fmax(without, unit->all.without_power);
      words += unit->outputs;
    }
  }
  report_put(root, NUMBER(".unannotated", 100 * worst), NUMBER(".without_power", 100 * without),
             NUMBER(".words", words));
}

static void put_lists(const table_t *table, cJSON *root) {
  cJSON *engines = cJSON_AddArrayToObject(root, ".engines");
  cJSON *pairs = cJSON_AddArrayToObject(root, ".pairs");
  cJSON *means = cJSON_AddArrayToObject(root, ".means");
  cJSON *inputs = cJSON_AddArrayToObject(root, ".inputs");
  for (size_t i = 0; i < table->sizes * MEASURE_DESIGNS; ++i) {
    put_engine(table, i / MEASURE_DESIGNS, (measure_design_t)(i % MEASURE_DESIGNS), engines);
  }
  for (size_t i = 0; i < table->sizes * 4; ++i) {
    put_pair(table, i / 4, hfas[i / 2 % 2], fa2s[i % 2], pairs);
  }
  put_mean(table, MEASURE_FA2, means);
  put_mean(table, MEASURE_FA2_ONEMUL, means);
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    report_row(inputs, TEXT("name", power_input_names[input]), TEXT("text", power_input_texts[input]));
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  report_put(root, NUMBER("paper/percent_saved", paper_saving), TEXT("library", table->library),
             NUMBER("clock_fo4", table->clock_fo4), NUMBER("period_ns", table->period),
             NUMBER("wire_pf_per_input", table->wire));
  put_savings(table, cJSON_AddArrayToObject(root, "savings"));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < 2 * table->rows; ++i) {
    put_row(list, &table->row[i / 2], i % 2 != 0);
  }
  put_lists(table, root);
  put_annotation(table, root);
  report_put(root, NUMBER(".fanout", table->fanout), NUMBER(".blocks", POWER_BLOCKS), NUMBER(".accs", POWER_BLOCKS - 1),
             NUMBER(".queries", POWER_QUERIES), NUMBER(".keys", POWER_KEYS), NUMBER(".near", near_points),
             NUMBER(".lanes", lanes_percent(table, 0, false)), NUMBER(".lanes_glitches", lanes_percent(table, 0, true)),
             NUMBER(".saved", lane_saving(table, 0, false)), NUMBER(".saved_glitches", lane_saving(table, 0, true)));
}

REPORT_TEMPLATE(power_text, "silicon/power.md");
static const report_t report = {fill, power_text, NULL, NULL};

// --- the report -------------------------------------------------------------------------------

static bool allocate(table_t *table, base_error_t *error) {
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

static bool measure_table(const report_context_t *context, const synth_flow_t *flow, const liberty_t *library,
                          table_t *table, base_exit_t *code, base_error_t *error) {
  const size_t rows = MEASURE_DESIGNS * POWER_INPUTS;
  for (size_t i = 0; i < table->sizes; ++i) {
    char what[64];
    snprintf(what, sizeof what, "netlists and their simulation, d %zu", table->d[i]);
    if (!report_step(context, i + 1, table->sizes, what, code, error) ||
        !power_measure(flow, library, &table->row[i * rows], rows, error)) {
      *code = report_interrupted() ? BASE_INTERRUPTED : *code;
      return false;
    }
  }
  return true;
}

static bool measure_and_write(const report_context_t *context, const synth_flow_t *flow, table_t *table,
                              base_exit_t *code, base_error_t *error) {
  liberty_t library;
  if (!liberty_read(flow->liberty, &library, error)) {
    return false;
  }
  const bool good = allocate(table, error) && measure_table(context, flow, &library, table, code, error) &&
                    report_write(context, &report, table, error);
  free(table->row);
  liberty_free(&library);
  return good;
}

bool report_power(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static const report_numbers_t sizes = {"--head-dim", "32,64", 4, 256, SIZES_MAX};
  synth_flow_t flow;
  table_t table = {.sizes = 0};
  *code = BASE_BAD_INPUT;
  if (!report_numbers(&sizes, context->settings->head_dim, table.d, &table.sizes, error) ||
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
