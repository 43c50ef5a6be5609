// What MUL-by-ADD saves in silicon: the integer adder of a rescaling memory lane against a multiplier.
// SPDX-License-Identifier: Apache-2.0
#include "report/silicon/report_synth.h"

enum { LANES = 16, CLOCK = 250 };

typedef struct part {
  const char *unit, *params, *text;
} part_t;

enum { RAW, GUARDED, BOTH, MUL_FLUSH, MUL_EXACT, ADD_F32, ATOMIC, NO_RESCALE, PARTS };

static const part_t parts[PARTS] = {
    [RAW] = {"gm_s32_raw", "", "integer adder, raw"},
    [GUARDED] = {"gm_s32_guarded", "", "integer adder, guarded"},
    [BOTH] = {"gm_s32_guard", "", "integer adder, raw or guarded, as in gm_atomic"},
    [MUL_FLUSH] = {"fp32_mul", "SUBNORMAL=0", "FP32 multiplier, subnormals flushed"},
    [MUL_EXACT] = {"fp32_mul", "SUBNORMAL=1", "FP32 multiplier, IEEE"},
    [ADD_F32] = {"fp32_add", "", "FP32 adder, in gm_atomic beside them"},
    [ATOMIC] = {"gm_atomic", "LANES=16", "gm_atomic of 16 lanes, as it is"},
    [NO_RESCALE] = {"gm_no_rescale", "LANES=16", "the same without RESCALE"},
};

typedef struct table {
  synth_flow_t flow;
  double um2[PARTS], fo4[PARTS];
} table_t;

// A unit of the same rate with that multiplier in each lane instead of the integer adder: a sum, not a
// synthesis.
static double with_multiplier(const table_t *table, int multiplier) {
  return table->um2[ATOMIC] + LANES * (table->um2[multiplier] - table->um2[BOTH]);
}

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  report_synth_flow(&table->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < PARTS; ++i) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(list, row);
    cJSON_AddStringToObject(row, "unit", parts[i].unit);
    cJSON_AddStringToObject(row, "params", parts[i].params);
    cJSON_AddNumberToObject(row, "area_um2", table->um2[i]);
    cJSON_AddNumberToObject(row, "nand2", table->um2[i] / table->flow.nand2_um2);
    cJSON_AddNumberToObject(row, "delay_fo4", table->fo4[i]);
  }
  cJSON_AddNumberToObject(root, "unit_with_multiplier_flush_um2", with_multiplier(table, MUL_FLUSH));
  cJSON_AddNumberToObject(root, "unit_with_multiplier_exact_um2", with_multiplier(table, MUL_EXACT));
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  fprintf(file, "# What MUL-by-ADD saves in silicon\n\n");
  report_synth_intro(&table->flow, file);
  fprintf(file, "| | um2 | NAND2 | path, FO4 |\n|---|---|---|---|\n");
  for (size_t i = 0; i < PARTS; ++i) {
    fprintf(file, "| %s |", parts[i].text);
    report_cell(file, 0, table->um2[i]);
    report_cell(file, 0, table->um2[i] / table->flow.nand2_um2);
    report_cell(file, 1, table->fo4[i]);
    fprintf(file, "\n");
  }
  fprintf(file, "| 16 lanes with multipliers that flush, by sum |");
  report_cell(file, 0, with_multiplier(table, MUL_FLUSH));
  report_cell(file, 0, with_multiplier(table, MUL_FLUSH) / table->flow.nand2_um2);
  fprintf(file, " |\n| 16 lanes with IEEE multipliers, by sum |");
  report_cell(file, 0, with_multiplier(table, MUL_EXACT));
  report_cell(file, 0, with_multiplier(table, MUL_EXACT) / table->flow.nand2_um2);
  fprintf(
      file,
      " |\n\nA lane that rescales by adding to the exponent takes %.0f %% of a flushing multiplier's "
      "area raw and %.0f %% guarded.\nOf the unit of 16 lanes, with its registers, forwarding and "
      "FP32 adders, the same rate by multiplication would make\n%.2f times the area: MUL-by-ADD saves "
      "%.0f %% of that. RESCALE itself, the walk over a row, costs %.1f %%.\nThe guards and a "
      "multiplier are not the same function: the guards only look after powers of two.\n\n"
      "All units are mapped for least area and close %d FO4; the lanes with adders alone would be much "
      "faster. Cells only,\nno wires; multipliers are plain gates, which a commercial tool's generators "
      "would make smaller. synth/README.md says\nmore.\n\n![plot](gm_area.svg)\n",
      100 * table->um2[RAW] / table->um2[MUL_FLUSH],
      100 * table->um2[GUARDED] / table->um2[MUL_FLUSH],
      with_multiplier(table, MUL_FLUSH) / table->um2[ATOMIC],
      report_synth_saving(table->um2[ATOMIC], with_multiplier(table, MUL_FLUSH)),
      -report_synth_saving(table->um2[ATOMIC], table->um2[NO_RESCALE]), CLOCK);
}

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i <= ADD_F32; ++i) {
    fprintf(gnuplot, "\"%s\" %g\n", parts[i].text, table->um2[i] / table->flow.nand2_um2);
  }
  fprintf(gnuplot,
          "EOD\nset style fill solid border -1\nset xrange [0:]\nset yrange [%d.5:-0.5]\n"
          "set grid xtics\nset ytics noenhanced\nset xlabel 'NAND2'\n"
          "plot $data using 2:0:(0):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror "
          "lc rgb '#4477aa' notitle\n", ADD_F32);
}

static bool make_units(const synth_flow_t *flow, base_error_t *error) {
  static synth_wants_t wants;
  wants.count = 0;
  for (size_t i = PARTS; i-- > 0;) {
    synth_want_t want = {.clock_fo4 = flow->clock_fo4};
    snprintf(want.unit, sizeof want.unit, "%s", parts[i].unit);
    snprintf(want.params, sizeof want.params, "%s", parts[i].params);
    synth_want(&wants, &want);
  }
  return synth_make(flow, &wants, error);
}

bool report_gm_area(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  const report_files_t files = {.name = context->name, .data = &table, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  *code = BASE_BAD_INPUT;
  bool good = report_synth_open(context, &table.flow, error);
  table.flow.clock_fo4 = CLOCK;
  good = good && make_units(&table.flow, error);
  for (size_t i = 0; good && i < PARTS; ++i) {
    good = report_step(context, i + 1, PARTS, parts[i].text, code, error);
    cJSON *area = good ? synth_unit(&table.flow, parts[i].unit, parts[i].params, false, NULL, error)
                       : NULL;
    good = area != NULL;
    if (good) {
      table.um2[i] = cJSON_GetObjectItemCaseSensitive(area, "area_um2")->valuedouble;
      table.fo4[i] =
          cJSON_GetObjectItemCaseSensitive(area, "delay_ps")->valuedouble / table.flow.fo4_ps;
    }
    cJSON_Delete(area);
  }
  return good && report_write(&files, context->settings->out, error);
}
