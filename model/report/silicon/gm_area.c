// The silicon that MUL-by-ADD saves: the integer adder of a rescaling memory lane against a
// multiplier.
// SPDX-License-Identifier: Apache-2.0
#include "report/silicon/synth.h"

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

// A unit of the same rate with that multiplier in each lane instead of the integer adder: a sum,
// not a synthesis.
static double with_multiplier(const table_t *table, int multiplier) {
  return table->um2[ATOMIC] + LANES * (table->um2[multiplier] - table->um2[BOTH]);
}

static void put_sum(cJSON *list, const char *text, double um2, double nand2_um2) {
  report_row(list, TEXT("text", text), NUMBER("area_um2", um2), NUMBER("nand2", um2 / nand2_um2));
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const double *um2 = table->um2;
  const double flush = with_multiplier(table, MUL_FLUSH);
  const double exact = with_multiplier(table, MUL_EXACT);
  report_synth_flow(&table->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < PARTS; ++i) {
    report_row(list, TEXT("unit", parts[i].unit), TEXT("params", parts[i].params), NUMBER("area_um2", um2[i]),
               NUMBER("nand2", um2[i] / table->flow.nand2_um2), NUMBER("delay_fo4", table->fo4[i]),
               TEXT(".text", parts[i].text), NUMBER(".plotted", i <= ADD_F32));
  }
  report_put(root, NUMBER("unit_with_multiplier_flush_um2", flush), NUMBER("unit_with_multiplier_exact_um2", exact),
             NUMBER(".clock", CLOCK), NUMBER(".raw", 100 * um2[RAW] / um2[MUL_FLUSH]),
             NUMBER(".guarded", 100 * um2[GUARDED] / um2[MUL_FLUSH]), NUMBER(".times", flush / um2[ATOMIC]),
             NUMBER(".saved", report_synth_saving(um2[ATOMIC], flush)),
             NUMBER(".rescale", -report_synth_saving(um2[ATOMIC], um2[NO_RESCALE])));
  cJSON *sums = cJSON_AddArrayToObject(root, ".sums");
  put_sum(sums, "16 lanes with multipliers that flush, by sum", flush, table->flow.nand2_um2);
  put_sum(sums, "16 lanes with IEEE multipliers, by sum", exact, table->flow.nand2_um2);
}

REPORT_TEMPLATE(gm_area_text, "silicon/gm_area.md");
static const report_t report = {fill, gm_area_text, NULL, NULL};

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
  *code = BASE_BAD_INPUT;
  bool good = report_synth_open(context, &table.flow, error);
  table.flow.clock_fo4 = CLOCK;
  good = good && make_units(&table.flow, error);
  for (size_t i = 0; good && i < PARTS; ++i) {
    good = report_step(context, i + 1, PARTS, parts[i].text, code, error);
    cJSON *area = good ? synth_unit(&table.flow, parts[i].unit, parts[i].params, false, NULL, error) : NULL;
    good = area != NULL;
    if (good) {
      table.um2[i] = cJSON_GetObjectItemCaseSensitive(area, "area_um2")->valuedouble;
      table.fo4[i] = cJSON_GetObjectItemCaseSensitive(area, "delay_ps")->valuedouble / table.flow.fo4_ps;
    }
    cJSON_Delete(area);
  }
  return good && report_write(context, &report, &table, error);
}
