// A study whose outcomes are made up: kernels base and amla with 1 to 6 buffers, of which amla with 4 failed, base with
// 5 waits, 6 is dropped. Texts in it are such as break out of HTML, CSV and gnuplot if they are not escaped.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_SWEEP_MADE_STUDY_H
#define AMALGAM_TESTS_SWEEP_MADE_STUDY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/table/table.h"

enum { MADE_KERNELS = 2, MADE_BUFFERS = 6, MADE_POINTS = MADE_KERNELS * MADE_BUFFERS, MADE_METRICS = 6 };

#define MADE_ERROR "race: \"L1\", <b>here</b> </script> 'x' `date` & more"
#define MADE_TITLE "Cycles & <area>: 'what' `date` \"for\" $x \\n {/Bold y} 100 %"

static const char *made_kernels[] = {"base", "amla"};
static const char *made_buffers[] = {"1", "2", "3", "4", "5", "6"};
static const char *made_command[] = {"run", "base", "--timing-only"};

static study_axis_t made_axis[] = {
    {.name = "kernel", .word = 1, .value = made_kernels, .count = MADE_KERNELS},
    {.name = "buffers", .option = "--kv-buffers", .value = made_buffers, .count = MADE_BUFFERS},
};

static study_metric_t made_metric[MADE_METRICS] = {
    {.name = "cycles", .json = "cycles", .unit = "cycles", .better = STUDY_MIN},
    {.name = "busy", .json = "cube.busy", .unit = "%", .better = STUDY_MAX},
    {.name = "area", .expression = "buffers * 72 + 128", .unit = "KiB", .better = STUDY_MIN},
    {.name = "half", .expression = "cycles / 2"},
    {.name = "least", .expression = "min(half) OVER (PARTITION BY kernel)"},
    {.name = "speedup",
     .expression = "(SELECT cycles FROM results AS r WHERE r.kernel = 'base' AND r.buffers = "
                   "results.buffers) / cycles -- of the same size",
     .better = STUDY_MAX},
};

static study_plot_t made_plot[] = {
    {.name = "front", .title = MADE_TITLE, .kind = STUDY_PARETO, .x = "area", .y = "cycles", .series = "kernel"},
    {.name = "front_all", .kind = STUDY_PARETO, .x = "busy", .y = "cycles", .log_y = true},
    {.name = "map", .title = "Cycles", .kind = STUDY_HEAT, .x = "buffers", .y = "kernel", .value = "cycles"},
    {.name = "lines",
     .title = "Cycles",
     .kind = STUDY_LINES,
     .x = "buffers",
     .y = "cycles",
     .series = "kernel",
     .log_x = true,
     .log_y = true},
};

static study_t made_study = {
    .file = "made.yaml",
    .name = "made",
    .question = "Is <b>\"amla\"</b> & Co. faster? </script>",
    .command = made_command,
    .words = 3,
    .axis = made_axis,
    .axes = 2,
    .metric = made_metric,
    .metrics = MADE_METRICS,
    .plot = made_plot,
    .plots = sizeof made_plot / sizeof *made_plot,
};

static double made_cycles(size_t kernel, size_t buffers) {
  return (kernel == 0 ? 1200.0 : 800.0) / (double)buffers + 7;
}

static outcome_status_t made_status(size_t kernel, size_t buffers) {
  return buffers == 6                  ? OUTCOME_DROPPED
         : kernel == 1 && buffers == 4 ? OUTCOME_FAILED
         : kernel == 0 && buffers == 5 ? OUTCOME_WAITING
                                       : OUTCOME_DONE;
}

static void made_row(outcome_t *row, size_t kernel, size_t buffers) {
  static const char *axis[MADE_POINTS][2];
  static double metric[MADE_POINTS][MADE_METRICS];
  static char command[MADE_POINTS][64], result[MADE_POINTS][24];
  const size_t point = kernel * MADE_BUFFERS + buffers - 1;
  const outcome_status_t status = made_status(kernel, buffers);
  const bool ran = status == OUTCOME_DONE || status == OUTCOME_FAILED;
  axis[point][0] = made_kernels[kernel];
  axis[point][1] = made_buffers[buffers - 1];
  for (size_t i = 0; i < MADE_METRICS; ++i) {
    metric[point][i] = NAN;
  }
  if (status == OUTCOME_DONE) {
    metric[point][0] = made_cycles(kernel, buffers);
    metric[point][1] = 50 + 7.0 * (double)buffers;
  }
  snprintf(command[point], sizeof command[point], "amalgam run %s --kv-buffers %zu --set 'a=<b>'", made_kernels[kernel],
           buffers);
  snprintf(result[point], sizeof result[point], "%020zx", point + 1);
  *row = (outcome_t){.status = status,
                     .result = ran ? result[point] : "",
                     .command = command[point],
                     .error = status == OUTCOME_FAILED ? MADE_ERROR : "",
                     .host = ran ? "node1" : "",
                     .seconds = ran ? 0.25 : 0,
                     .peak_mb = ran ? 40 : 0,
                     .attempts = ran,
                     .axis = axis[point],
                     .metric = metric[point]};
}

static const outcomes_t *made_outcomes(void) {
  static outcome_t row[MADE_POINTS];
  static const outcomes_t outcomes = {.study = &made_study, .row = row, .rows = MADE_POINTS};
  for (size_t point = 0; point < MADE_POINTS; ++point) {
    made_row(&row[point], point / MADE_BUFFERS, point % MADE_BUFFERS + 1);
  }
  return &outcomes;
}

#endif
