// SPDX-License-Identifier: Apache-2.0
#include "sweep/plot/plot.h"

#include <stdlib.h>

#include "base/gnuplot.h"
#include "base/output.h"
#include "sweep/plot/plot_script.h"

// NULL: error says why.
static char *script_of(const table_t *table, const study_plot_t *plot, base_error_t *error) {
  static void (*const kinds[])(plot_points_t *, FILE *) = {
      [STUDY_PARETO] = plot_pareto, [STUDY_HEAT] = plot_heat, [STUDY_LINES] = plot_lines};
  plot_points_t points;
  char *script = NULL;
  size_t bytes;
  if (plot_points_open(&points, table, plot, error)) {
    FILE *file = open_memstream(&script, &bytes);
    if (file != NULL) {
      plot_frame(&points, file);
      kinds[plot->kind](&points, file);
      fclose(file);
    } else {
      base_fail(error, "plot %s: out of memory", plot->name);
    }
  }
  plot_points_close(&points);
  return script;
}

bool plot_write(const table_t *table, const study_plot_t *plot, const char *svg_file, base_error_t *error) {
  outputs_t outputs = {0};
  size_t index;
  char *script = script_of(table, plot, error);
  const bool good = script != NULL && outputs_add(&outputs, svg_file, &index, error) &&
                    outputs_stage(&outputs, index, error) && gnuplot_run(script, outputs_path(&outputs, index), error);
  free(script);
  if (good) {
    outputs_written(&outputs, index);
    return outputs_commit(&outputs, error);
  }
  outputs_discard(&outputs);
  return false;
}
