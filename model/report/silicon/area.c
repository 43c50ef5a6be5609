// Figure 7(a) of the H-FA paper: area of H-FA, FA-2 and ExpMul for three lengths of a head, and what limits
// their clock.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "report/silicon/synth.h"

enum { BLOCKS = 4 };

// A row of the paper.
typedef struct paper_row {
  size_t d;
  double datapath, whole;  // savings in %, 0: not said
} paper_row_t;

static const paper_row_t papers[] = {
#define ROW(d, datapath, whole) {d, datapath, whole},
#include "report/silicon/area.def"
#undef ROW
};
static const double paper_mean = 26.5;  // saving in %, with the memories, mean over d: its abstract
enum { ROWS = sizeof papers / sizeof *papers };

// Units whose timing is shown; that of the others lies inside them or is short.
typedef struct path {
  const char *unit, *params, *text;
} path_t;

static const path_t paths[] = {
    {"fau_front", "D=2", "running maximum (a loop) and difference, all designs"},
    {"fau_lane", "ARITHMETIC=0 VARIANT=0", "lane of H-FA (a loop)"},
    {"fau_lane", "ARITHMETIC=0 VARIANT=1", "lane of H-FA, corrected (a loop)"},
    {"fau_lane", "ARITHMETIC=1 VARIANT=0", "lane of FA-2, two multipliers (a loop)"},
    {"fau_lane", "ARITHMETIC=1 VARIANT=1", "lane of FA-2, one multiplier (a loop)"},
    {"fau_lane", "ARITHMETIC=2 VARIANT=0", "lane of ExpMul (a loop)"},
    {"hfa_quant", "", "quantiser of H-FA"},
    {"bf16_exp", "", "exponential of FA-2"},
    {"acc_lane", "ARITHMETIC=0 VARIANT=0", "ACC lane of H-FA"},
    {"acc_lane", "ARITHMETIC=1 VARIANT=0", "ACC lane of FA-2"},
    {"acc_lane", "ARITHMETIC=2 VARIANT=0", "ACC lane of ExpMul"},
    {"hfa_logdiv_lane", "", "LogDiv lane of H-FA"},
    {"bf16_div", "", "divider of FA-2 and ExpMul, one of two stages"},
    {"bf16_dot", "D=32", "dot product, all designs"},
    {"attention_ctrl", "P=4 NQ=1 ROWS=256", "control"},
};
enum { PATHS = sizeof paths / sizeof *paths };

typedef struct timing {
  double area_um2, fo4;            // as it is in the designs
  double fast_um2, fast_fo4;       // mapped for speed
  double loop_fo4, fast_loop_fo4;  // NAN: has none
} timing_t;

typedef struct figure {
  synth_flow_t flow;
  report_area_t list[ROWS][SYNTH_DESIGNS];
  timing_t timing[PATHS];
} figure_t;

// --- what is saved ----------------------------------------------------------------------------

static double saving(const figure_t *figure, size_t row, synth_design_t part, synth_design_t whole, bool sram) {
  const report_area_t *a = &figure->list[row][part];
  const report_area_t *b = &figure->list[row][whole];
  return sram ? report_synth_saving(report_synth_whole(a), report_synth_whole(b))
              : report_synth_saving(a->area.datapath_um2, b->area.datapath_um2);
}

static double said(double percent) { return percent > 0 ? percent : NAN; }

static double mean_whole(const figure_t *figure, synth_design_t than) {
  double sum = 0;
  for (size_t i = 0; i < ROWS; ++i) {
    sum += saving(figure, i, SYNTH_HFA, than, true);
  }
  return sum / ROWS;
}

static const timing_t *timing_of(const figure_t *figure, const char *unit, const char *params) {
  for (size_t i = 0; i < PATHS; ++i) {
    if (strcmp(paths[i].unit, unit) == 0 && strcmp(paths[i].params, params) == 0) {
      return &figure->timing[i];
    }
  }
  return NULL;
}

// --- the document -----------------------------------------------------------------------------

static void put_savings(const figure_t *figure, size_t row, synth_design_t design, cJSON *object) {
  report_put(object, NUMBER("saving_datapath_percent", saving(figure, row, design, SYNTH_FA2, false)),
             NUMBER("saving_percent", saving(figure, row, design, SYNTH_FA2, true)),
             NUMBER("saving_datapath_onemul_percent", saving(figure, row, design, SYNTH_FA2_ONEMUL, false)),
             NUMBER("saving_onemul_percent", saving(figure, row, design, SYNTH_FA2_ONEMUL, true)));
  if (design == SYNTH_HFA) {
    report_put(object, NUMBER("paper/saving_datapath_percent", said(papers[row].datapath)),
               NUMBER("paper/saving_percent", said(papers[row].whole)));
  }
}

static void put_timing(const figure_t *figure, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "timing");
  for (size_t i = 0; i < PATHS; ++i) {
    const timing_t *timing = &figure->timing[i];
    report_row(list, TEXT("unit", paths[i].unit), TEXT("params", paths[i].params), NUMBER("area_um2", timing->area_um2),
               NUMBER("fo4", timing->fo4), NUMBER("loop_fo4", timing->loop_fo4),
               NUMBER("mhz", 1e6 / (timing->fo4 * figure->flow.fo4_ps)), NUMBER("fastest_area_um2", timing->fast_um2),
               NUMBER("fastest_fo4", timing->fast_fo4), NUMBER("fastest_loop_fo4", timing->fast_loop_fo4),
               NUMBER("fastest_mhz", 1e6 / (timing->fast_fo4 * figure->flow.fo4_ps)), TEXT(".text", paths[i].text));
  }
}

// A line of the table of savings: a kind of H-FA against one of FA-2.
static void put_pair(const figure_t *figure, size_t row, synth_design_t design, synth_design_t than, cJSON *list) {
  const bool paper = design == SYNTH_HFA && than == SYNTH_FA2;
  report_row(list, NUMBER("d", papers[row].d), TEXT("design", synth_design_name[design]),
             TEXT("than", synth_design_name[than]), NUMBER("datapath", saving(figure, row, design, than, false)),
             NUMBER("paper_datapath", paper ? said(papers[row].datapath) : NAN),
             NUMBER("whole", saving(figure, row, design, than, true)),
             NUMBER("paper_whole", paper ? said(papers[row].whole) : NAN));
}

static void put_rows(const figure_t *figure, cJSON *root) {
  static const synth_design_t fa2s[] = {SYNTH_FA2, SYNTH_FA2_ONEMUL};
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *pairs = cJSON_AddArrayToObject(root, ".pairs");
  for (size_t i = 0; i < ROWS; ++i) {
    for (synth_design_t design = 0; design < SYNTH_DESIGNS; ++design) {
      const synth_area_t *area = &figure->list[i][design].area;
      cJSON *row = report_synth_row(&figure->flow, &figure->list[i][design], list);
      report_put(row, TEXT(".closing", area->closes ? "" : ", clock not closed"),
                 NUMBER(".change", -saving(figure, i, design, SYNTH_HFA, false)),
                 NUMBER(".mm2_at_28", synth_at_28(&figure->flow, area->datapath_um2) / 1e6));
      if (design == SYNTH_HFA || design == SYNTH_HFA_CORRECTED) {
        put_savings(figure, i, design, row);
        put_pair(figure, i, design, fa2s[0], pairs);
        put_pair(figure, i, design, fa2s[1], pairs);
      }
    }
  }
}

static void put_saving(cJSON *saving, double ours, double paper) {
  report_put(saving, NUMBER("ours", ours), NUMBER("paper", paper), TEXT("verdict", report_synth_verdict(ours, paper)));
}

// The numbers by which the claims are judged, D = 32.
static void put_claims(const figure_t *figure, cJSON *root) {
  const report_area_t *fa2 = &figure->list[0][SYNTH_FA2];
  const double *hfa_block = figure->list[0][SYNTH_HFA].area.block;
  const double *fa2_block = fa2->area.block;
  const double two = saving(figure, 0, SYNTH_HFA, SYNTH_FA2, false);
  const double share = 1 - papers[0].whole / papers[0].datapath;
  const double more = -saving(figure, 0, SYNTH_HFA_CORRECTED, SYNTH_HFA, false);
  put_saving(cJSON_AddObjectToObject(root, ".two"), two, papers[0].datapath);
  put_saving(cJSON_AddObjectToObject(root, ".one"), saving(figure, 0, SYNTH_HFA, SYNTH_FA2_ONEMUL, false),
             papers[0].datapath);
  put_saving(cJSON_AddObjectToObject(root, ".mean_two"), mean_whole(figure, SYNTH_FA2), paper_mean);
  put_saving(cJSON_AddObjectToObject(root, ".mean_one"), mean_whole(figure, SYNTH_FA2_ONEMUL), paper_mean);
  cJSON *whole = cJSON_AddArrayToObject(root, ".whole");
  for (size_t i = 0; i < ROWS; ++i) {
    put_saving(json_add_row(whole), saving(figure, i, SYNTH_HFA, SYNTH_FA2, true), papers[i].whole);
  }
  report_put(root, NUMBER(".sram", 100 * fa2->area.sram_um2 / report_synth_whole(fa2)),
             NUMBER(".paper_sram", 100 * share), NUMBER(".with_it", (1 - share) * two),
             NUMBER(".lanes", report_synth_saving(hfa_block[SYNTH_LANES], fa2_block[SYNTH_LANES])),
             NUMBER(".accs", report_synth_saving(hfa_block[SYNTH_ACC], fa2_block[SYNTH_ACC])),
             NUMBER(".division", report_synth_saving(hfa_block[SYNTH_DIVISION], fa2_block[SYNTH_DIVISION])),
             NUMBER(".dot_hfa", 100 * hfa_block[SYNTH_DOT] / figure->list[0][SYNTH_HFA].area.datapath_um2),
             NUMBER(".dot_fa2", 100 * fa2_block[SYNTH_DOT] / fa2->area.datapath_um2), NUMBER(".corrected", fabs(more)),
             TEXT(".change", more < 0 ? "smaller" : "larger"),
             TEXT(".wanted", more <= 5 ? "within the wanted" : "more than the wanted"));
}

// Mappings are taken by ABC's delays, which are not OpenSTA's.
static void put_missed(const figure_t *figure, cJSON *root) {
  const double clock = figure->flow.clock_fo4;
  size_t count = 0;
  double most = 0;
  for (size_t i = 0; i < PATHS; ++i) {
    count += figure->timing[i].fo4 > clock;
    most = fmax(most, figure->timing[i].fo4);
  }
  report_put(root, NOTHING(count == 0 ? ".missed" : ".closed"));
  report_put(cJSON_AddObjectToObject(root, count == 0 ? ".closed" : ".missed"), NUMBER("units", count),
             NUMBER("slowest_fo4", most), NUMBER("percent", 100 * (most / clock - 1)));
}

// Two queries in turn would give FA-2's loop two cycles, but the other loop would still take one.
static void put_clocks(const figure_t *figure, cJSON *root) {
  const double hfa = timing_of(figure, "fau_lane", "ARITHMETIC=0 VARIANT=0")->fast_loop_fo4;
  const double fa2 = timing_of(figure, "fau_lane", "ARITHMETIC=1 VARIANT=0")->fast_loop_fo4;
  const double front = timing_of(figure, "fau_front", "D=2")->fast_loop_fo4;
  const double mhz = 1e6 / figure->flow.fo4_ps;
  const bool close = figure->list[0][SYNTH_FA2].area.closes && figure->list[0][SYNTH_HFA].area.closes;
  report_put(root, NUMBER(".hfa/fo4", hfa), NUMBER(".hfa/mhz", mhz / hfa), NUMBER(".fa2/fo4", fa2),
             NUMBER(".fa2/mhz", mhz / fa2), NUMBER(".fa2/half_fo4", fa2 / 2), NUMBER(".fa2/half_mhz", 2 * mhz / fa2),
             NUMBER(".front_fo4", front), TEXT(".closing", close ? "both close by ABC's delays" : "NOT both close"));
}

static void fill(const void *data, cJSON *root) {
  const figure_t *figure = data;
  report_synth_flow(&figure->flow, root);
  put_rows(figure, root);
  put_timing(figure, root);
  put_claims(figure, root);
  put_missed(figure, root);
  put_clocks(figure, root);
}

REPORT_TEMPLATE(area_text, "silicon/area.md");
static const report_t report = {fill, area_text, NULL, NULL};

// --- the runs ---------------------------------------------------------------------------------

enum { CLOCK_FASTEST = 10 };

static void want_paths(synth_wants_t *wants, unsigned clock_fo4) {
  for (size_t i = PATHS; i-- > 0;) {
    synth_want_t want = {.clock_fo4 = clock_fo4, .timing = true};
    snprintf(want.unit, sizeof want.unit, "%s", paths[i].unit);
    snprintf(want.params, sizeof want.params, "%s", paths[i].params);
    synth_want(wants, &want);
  }
}

// Makes all units that will be asked for, the slowest first. A unit that is wanted at two clocks
// has much in between, since one waits for the other.
static bool make_units(const figure_t *figure, base_error_t *error) {
  const synth_flow_t *flow = &figure->flow;
  static synth_wants_t wants;
  wants.count = 0;
  want_paths(&wants, CLOCK_FASTEST);
  for (size_t i = ROWS; i-- > 0;) {
    for (synth_design_t design = 0; design < SYNTH_DESIGNS; ++design) {
      synth_want_design(&wants, flow, &figure->list[i][design].shape);
    }
  }
  want_paths(&wants, flow->clock_fo4);
  return synth_make(flow, &wants, error);
}

static bool unit_timing(const synth_flow_t *flow, const path_t *path, double *um2, double *fo4, double *loop,
                        base_error_t *error) {
  char folder[SYNTH_PATH_BYTES];
  cJSON *area = synth_unit(flow, path->unit, path->params, false, folder, error);
  cJSON *timing = area == NULL ? NULL : synth_timing(flow, folder, error);
  if (timing == NULL) {
    cJSON_Delete(area);
    return false;
  }
  const cJSON *um = cJSON_GetObjectItemCaseSensitive(area, "area_um2");
  const cJSON *slow = cJSON_GetObjectItemCaseSensitive(timing, "fo4");
  const cJSON *item;
  *um2 = cJSON_IsNumber(um) ? um->valuedouble : NAN;
  *fo4 = cJSON_IsNumber(slow) ? slow->valuedouble : NAN;
  *loop = NAN;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(timing, "loops")) {
    const cJSON *ps = cJSON_GetObjectItemCaseSensitive(item, "ps");
    *loop = cJSON_IsNumber(ps) ? ps->valuedouble / flow->fo4_ps : NAN;
  }
  cJSON_Delete(area);
  cJSON_Delete(timing);
  return isfinite(*fo4) || base_fail(error, "synth: %s: no timing", path->unit);
}

static bool run_timing(const report_context_t *context, figure_t *figure, base_exit_t *code, base_error_t *error) {
  synth_flow_t fastest = figure->flow;
  fastest.clock_fo4 = CLOCK_FASTEST;
  for (size_t i = 0; i < PATHS; ++i) {
    timing_t *timing = &figure->timing[i];
    if (!report_step(context, i + 1, PATHS, paths[i].text, code, error) ||
        !unit_timing(&figure->flow, &paths[i], &timing->area_um2, &timing->fo4, &timing->loop_fo4, error) ||
        !unit_timing(&fastest, &paths[i], &timing->fast_um2, &timing->fast_fo4, &timing->fast_loop_fo4, error)) {
      return false;
    }
  }
  return true;
}

bool report_area(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static figure_t figure;
  *code = BASE_BAD_INPUT;
  for (size_t i = 0; i < ROWS * SYNTH_DESIGNS; ++i) {
    const synth_design_t design = (synth_design_t)(i % SYNTH_DESIGNS);
    figure.list[i / SYNTH_DESIGNS][design].shape = report_synth_shape(design, papers[i / SYNTH_DESIGNS].d, BLOCKS, 1);
  }
  return report_synth_open(context, &figure.flow, error) && make_units(&figure, error) &&
         report_synth_areas(context, &figure.flow, figure.list[0], ROWS * SYNTH_DESIGNS, code, error) &&
         run_timing(context, &figure, code, error) && report_write(context, &report, &figure, error);
}
