// Static timing of the tops, under their constraints, and of the units inside them.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report/silicon/synth.h"

// 500 MHz at 28 nm; the atomic unit's stages.
// Paths of an engine go on from one unit into the next, so that units are mapped to a shorter period, as is the atomic
// unit that is to reach its own with wires, of which mapping knows nothing.
enum { ENGINE_FO4 = 130, MAPPED_FO4 = 110, ATOMIC_FO4 = 60, DEEP_FO4 = 50, D = 16, BLOCKS = 2, NAMES_BYTES = 512 };

typedef struct top {
  const char *unit, *params, *text;
  unsigned limit_fo4, mapped_fo4;
} top_t;

#define ENGINE(arithmetic) "ARITHMETIC=" #arithmetic " VARIANT=0 D=16 P=2 NQ=1 N=1024"
static const top_t tops[] = {
    {"attention_engine", ENGINE(0), "H-FA", ENGINE_FO4, MAPPED_FO4},
    {"attention_engine", ENGINE(1), "FA-2", ENGINE_FO4, MAPPED_FO4},
    {"attention_engine", ENGINE(2), "ExpMul", ENGINE_FO4, MAPPED_FO4},
    {"gm_atomic", "LANES=16", "gm_atomic", ATOMIC_FO4, ATOMIC_FO4},
    {"gm_atomic", "LANES=16 ALU_STAGES=6", "gm_atomic of 6 stages", ATOMIC_FO4, DEEP_FO4},
};
enum { TOPS = sizeof tops / sizeof *tops };

typedef struct table {
  synth_flow_t flow;
  cJSON *timing[TOPS];  // of synth_top
} table_t;

// A path, of a whole top or of a part of it; how many of those so far miss their limit.
static size_t put_path(const table_t *table, const top_t *top, const cJSON *path, cJSON *list,
                       char names[NAMES_BYTES]) {
  const synth_flow_t *flow = &table->flow;
  const char *part = json_text(path, "name");
  const double fo4 = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(path, "fo4"));
  const double mhz = 1e6 / (fo4 * flow->fo4_ps);
  const bool meets = fo4 <= top->limit_fo4;
  cJSON *row =
      report_row(list, TEXT("top", top->text), TEXT("part", part), NUMBER("limit_fo4", top->limit_fo4),
                 NUMBER("fo4", fo4), NUMBER("mhz", mhz), NUMBER("mhz_at_28", mhz * flow->node_nm / 28),
                 TEXT("from", json_text(path, "from")), TEXT("to", json_text(path, "to")), FLAG("meets", meets));
  report_put_text(row, ".text", "%s%s%s", top->text, part[0] == '\0' ? ", whole" : ": ", part);
  if (!meets) {
    const size_t used = strlen(names);
    snprintf(names + used, NAMES_BYTES - used, "%s%s%s%s", used > 0 ? ", " : "", top->text, part[0] == '\0' ? "" : ": ",
             part);
  }
  return meets ? 0 : 1;
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  char names[NAMES_BYTES] = "";
  size_t missed = 0;
  report_synth_flow(&table->flow, root);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < TOPS; ++i) {
    const cJSON *part;
    missed += put_path(table, &tops[i], table->timing[i], list, names);
    cJSON_ArrayForEach(part, cJSON_GetObjectItemCaseSensitive(table->timing[i], "parts")) {
      missed += put_path(table, &tops[i], part, list, names);
    }
  }
  report_put(root, NOTHING(table->flow.wires ? ".ideal" : ".wired"), NUMBER(".engine_fo4", ENGINE_FO4),
             NUMBER(".mapped_fo4", MAPPED_FO4), NUMBER(".atomic_fo4", ATOMIC_FO4), NUMBER(".deep_fo4", DEEP_FO4),
             NUMBER(".d", D), NUMBER(".blocks", BLOCKS), NOTHING(missed == 0 ? ".missed" : ".met"));
  cJSON_AddObjectToObject(root, table->flow.wires ? ".wired" : ".ideal");
  report_put(cJSON_AddObjectToObject(root, missed == 0 ? ".met" : ".missed"), NUMBER("count", missed),
             TEXT("names", names));
}

REPORT_TEMPLATE(timing_text, "silicon/timing.md");
static const report_t report = {fill, timing_text, NULL, NULL};

// Their units side by side; what takes longest first.
static bool make_units(const synth_flow_t *flow, base_error_t *error) {
  static synth_wants_t wants;
  wants.count = 0;
  for (size_t i = TOPS; i-- > 0;) {
    synth_want_t want = {.clock_fo4 = tops[i].mapped_fo4, .boxes = true};
    snprintf(want.unit, sizeof want.unit, "%s", tops[i].unit);
    snprintf(want.params, sizeof want.params, "%s", tops[i].params);
    synth_want(&wants, &want);
  }
  return synth_make(flow, &wants, error);
}

bool report_timing(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  *code = BASE_BAD_INPUT;
  bool good = report_synth_open(context, &table.flow, error) && make_units(&table.flow, error);
  for (size_t i = 0; good && i < TOPS; ++i) {
    synth_flow_t flow = table.flow;
    flow.clock_fo4 = tops[i].mapped_fo4;
    good = report_step(context, i + 1, TOPS, tops[i].text, code, error);
    table.timing[i] = good ? synth_top(&flow, tops[i].unit, tops[i].params, error) : NULL;
    good = table.timing[i] != NULL;
  }
  good = good && report_write(context, &report, &table, error);
  for (size_t i = 0; i < TOPS; ++i) {
    cJSON_Delete(table.timing[i]);
  }
  return good;
}
