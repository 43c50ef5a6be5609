// SPDX-License-Identifier: Apache-2.0
#include "report/silicon/report_area.h"

#include <math.h>

enum { CLOCK_FASTEST = 10 };

static void want_paths(synth_wants_t *wants, unsigned clock_fo4) {
  for (size_t i = AREA_PATHS; i-- > 0;) {
    synth_want_t want = {.clock_fo4 = clock_fo4, .timing = true};
    snprintf(want.unit, sizeof want.unit, "%s", area_paths[i].unit);
    snprintf(want.params, sizeof want.params, "%s", area_paths[i].params);
    synth_want(wants, &want);
  }
}

// All that is going to be asked for, what takes longest first. Where one unit is wanted at two clocks
// there is much in between, since one waits for the other.
static bool make_units(const area_figure_t *figure, base_error_t *error) {
  const synth_flow_t *flow = &figure->flow;
  static synth_wants_t wants;
  wants.count = 0;
  want_paths(&wants, CLOCK_FASTEST);
  for (size_t i = AREA_ROWS; i-- > 0;) {
    for (synth_design_t design = 0; design < SYNTH_DESIGNS; ++design) {
      const synth_shape_t shape = report_synth_shape(design, area_paper[i].d, AREA_BLOCKS, 1);
      synth_want_design(&wants, flow, &shape);
    }
  }
  want_paths(&wants, flow->clock_fo4);
  return synth_make(flow, &wants, error);
}

static bool run_areas(const report_context_t *context, area_figure_t *figure, base_exit_t *code,
                      base_error_t *error) {
  for (size_t i = 0; i < AREA_ROWS; ++i) {
    for (synth_design_t design = 0; design < SYNTH_DESIGNS; ++design) {
      if (!report_synth_area(context, &figure->flow, design, area_paper[i].d, AREA_BLOCKS, 1,
                             &figure->list[i][design], code, error)) {
        return false;
      }
    }
  }
  return true;
}

static bool unit_timing(const synth_flow_t *flow, const area_path_t *path, double *um2, double *fo4,
                        double *loop, base_error_t *error) {
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

static bool run_timing(const report_context_t *context, area_figure_t *figure, base_exit_t *code,
                       base_error_t *error) {
  synth_flow_t fastest = figure->flow;
  fastest.clock_fo4 = CLOCK_FASTEST;
  for (size_t i = 0; i < AREA_PATHS; ++i) {
    area_timing_t *timing = &figure->timing[i];
    if (!report_step(context, i + 1, AREA_PATHS, area_paths[i].text, code, error) ||
        !unit_timing(&figure->flow, &area_paths[i], &timing->area_um2, &timing->fo4,
                     &timing->loop_fo4, error) ||
        !unit_timing(&fastest, &area_paths[i], &timing->fast_um2, &timing->fast_fo4,
                     &timing->fast_loop_fo4, error)) {
      return false;
    }
  }
  return true;
}

bool report_area(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static area_figure_t figure;
  report_files_t files = area_files;
  files.name = context->name;
  files.data = &figure;
  *code = BASE_BAD_INPUT;
  return report_synth_open(context, &figure.flow, error) && make_units(&figure, error) &&
         run_areas(context, &figure, code, error) && run_timing(context, &figure, code, error) &&
         report_write(&files, context->settings->out, error);
}
