// The cost of an attention engine's arithmetic for a language model, beside its area and its energy: which one is worth
// having?
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/lm/lm.h"
#include "report/silicon/energies.h"
#include "report/silicon/synth.h"

enum { D = 64, BLOCKS = POWER_BLOCKS };  // the language model's heads; as energy is measured

// One arithmetic, as synthesis, energies and losses name it.
typedef struct kind {
  const char *text;
  synth_design_t area;
  measure_design_t energy;
  const char *loss;
} kind_t;

static const kind_t kinds[] = {
    {"FA-2, two multipliers", SYNTH_FA2, MEASURE_FA2, "fa2"},
    {"FA-2, one multiplier", SYNTH_FA2_ONEMUL, MEASURE_FA2_ONEMUL, "fa2"},
    {"H-FA, Mitchell", SYNTH_HFA, MEASURE_HFA, "mitchell"},
    {"H-FA, corrected", SYNTH_HFA_CORRECTED, MEASURE_HFA_CORRECTED, "corrected"},
    {"ExpMul", SYNTH_EXPMUL, MEASURE_EXPMUL, "expmul"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// The measures that are compared: less is better.
typedef enum measure { LOSS, AREA, SETTLED, GLITCHES, MEASURES } measure_t;

typedef struct table {
  synth_flow_t flow;
  report_area_t area[KINDS];
  power_row_t energy[KINDS][POWER_INPUTS];
  report_lm_t *lm;
  double value[KINDS][MEASURES];
} table_t;

// --- which is worth having --------------------------------------------------------------------

// Is `a` in nothing worse than `b`, and in something better?
static bool beats(const table_t *table, size_t a, size_t b) {
  bool better = false;
  for (measure_t i = 0; i < MEASURES; ++i) {
    if (table->value[a][i] > table->value[b][i]) {
      return false;
    }
    better = better || table->value[a][i] < table->value[b][i];
  }
  return better;
}

// The arithmetic that beats it; "": none does, it is on the front.
static void beaten_by(const table_t *table, size_t kind, char text[256]) {
  text[0] = '\0';
  for (size_t i = 0; i < KINDS; ++i) {
    if (beats(table, i, kind)) {
      const size_t used = strlen(text);
      snprintf(text + used, 256 - used, "%s%s", used > 0 ? "; " : "", kinds[i].text);
    }
  }
}

static double mean_energy(const table_t *table, size_t kind, bool glitches) {
  double sum = 0;
  for (power_input_t input = POWER_LM; input < POWER_INPUTS; ++input) {
    sum += table->energy[kind][input].engine.total[glitches];
  }
  return sum / POWER_INPUTS;
}

// The entry of report_lm_kinds with as many blocks.
static size_t loss_kind(const char *name) {
  for (size_t i = 0; i < REPORT_LM_ROWS; ++i) {
    if (strcmp(report_lm_kinds[i].name, name) == 0 && report_lm_kinds[i].it.blocks == BLOCKS) {
      return i;
    }
  }
  return 0;
}

static void take_values(table_t *table) {
  for (size_t i = 0; i < KINDS; ++i) {
    const report_lm_row_t *row = table->lm->row;
    table->value[i][LOSS] = row[loss_kind(kinds[i].loss)].mean.loss - row[0].mean.loss;
    table->value[i][AREA] = table->area[i].area.datapath_um2 / 1e6;
    table->value[i][SETTLED] = mean_energy(table, i, false) / 1e3;
    table->value[i][GLITCHES] = mean_energy(table, i, true) / 1e3;
  }
}

// --- the document -----------------------------------------------------------------------------

static void put_kind(const table_t *table, size_t kind, cJSON *list) {
  char by[256];
  const double *value = table->value[kind], *base = table->value[0];
  beaten_by(table, kind, by);
  report_row(list, TEXT("arithmetic", kinds[kind].text), TEXT("design", synth_design_name[kinds[kind].area]),
             NUMBER("above_fp32", value[LOSS]), NUMBER("datapath_mm2", value[AREA]),
             NUMBER("with_sram_mm2", report_synth_whole(&table->area[kind]) / 1e6),
             NUMBER("nj_without_glitches", value[SETTLED]), NUMBER("nj_with_glitches", value[GLITCHES]),
             FLAG("front", by[0] == '\0'), FLAG("closes", table->area[kind].area.closes),
             NUMBER("area_percent", 100 * value[AREA] / base[AREA]),
             NUMBER("settled_percent", 100 * value[SETTLED] / base[SETTLED]),
             NUMBER("glitches_percent", 100 * value[GLITCHES] / base[GLITCHES]),
             TEXT(".beaten", by[0] == '\0' ? "on the front" : by),
             TEXT(".closing", table->area[kind].area.closes ? "" : ", clock not closed"),
             NUMBER(".colour", by[0] == '\0' ? 1 : 2));
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  report_synth_flow(&table->flow, root);
  report_put(root, NUMBER("d", D), NUMBER("blocks", BLOCKS), NUMBER("fp32", table->lm->row[0].mean.loss),
             NUMBER(".windows", REPORT_LM_WINDOWS), NUMBER(".chunk", table->lm->chunk[loss_kind("fa2")]),
             NUMBER(".engine_rows", table->lm->rows));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < KINDS; ++i) {
    put_kind(table, i, list);
  }
}

REPORT_TEMPLATE(arithmetics_text, "silicon/arithmetics.md");
static const report_t report = {fill, arithmetics_text, NULL, NULL};

// --- the runs ---------------------------------------------------------------------------------

static bool run_losses(const report_context_t *context, table_t *table, base_exit_t *code, base_error_t *error) {
  kernel_machine_t machine;
  unsigned wanted = 1;  // FP32
  for (size_t i = 0; i < KINDS; ++i) {
    wanted |= 1U << loss_kind(kinds[i].loss);
  }
  if (!report_config(context->settings, "engines", &machine, error)) {
    return false;
  }
  table->lm->rows = machine.soc.config.engine.rows;
  return report_lm_losses(context, wanted, table->lm, code, error);
}

static bool run_areas(const report_context_t *context, table_t *table, base_exit_t *code, base_error_t *error) {
  for (size_t i = 0; i < KINDS; ++i) {
    table->area[i].shape = report_synth_shape(kinds[i].area, D, BLOCKS, 1);
  }
  return report_synth_make(&table->flow, table->area, KINDS, error) &&
         report_synth_areas(context, &table->flow, table->area, KINDS, code, error);
}

static bool run_energies(const report_context_t *context, table_t *table, base_exit_t *code, base_error_t *error) {
  liberty_t library;
  if (!report_step(context, KINDS + 1, KINDS + 1, "energy of the netlists", code, error) ||
      !liberty_read(table->flow.liberty, &library, error)) {
    return false;
  }
  for (size_t i = 0; i < KINDS * POWER_INPUTS; ++i) {
    table->energy[i / POWER_INPUTS][i % POWER_INPUTS] =
        (power_row_t){.d = D, .design = kinds[i / POWER_INPUTS].energy, .input = (power_input_t)(i % POWER_INPUTS)};
  }
  const bool good = power_measure(&table->flow, &library, table->energy[0], KINDS * POWER_INPUTS, error);
  liberty_free(&library);
  return good;
}

static bool run(const report_context_t *context, table_t *table, base_exit_t *code, base_error_t *error) {
  const bool good = report_synth_open(context, &table->flow, error) && run_losses(context, table, code, error) &&
                    run_areas(context, table, code, error) && run_energies(context, table, code, error);
  if (!good && report_interrupted()) {
    *code = BASE_INTERRUPTED;
  }
  if (good) {
    take_values(table);
  }
  return good && report_write(context, &report, table, error);
}

bool report_arithmetics(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  table_t *table = calloc(1, sizeof *table);
  *code = BASE_BAD_INPUT;
  bool good = table != NULL && (table->lm = calloc(1, sizeof *table->lm)) != NULL;
  good = good ? run(context, table, code, error) : base_fail(error, "%s: out of memory", context->name);
  if (table != NULL) {
    free(table->lm);
  }
  free(table);
  return good;
}
