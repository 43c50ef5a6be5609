// A study: one question, asked of many runs. A YAML file names a command, the axes along which it is varied, what drops
// points, what is measured and what is drawn; docs/sweep.md has the fields.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STUDY_STUDY_H
#define AMALGAM_SWEEP_STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef enum study_better { STUDY_NEITHER, STUDY_MIN, STUDY_MAX } study_better_t;

typedef struct study_axis {
  const char *name;
  const char *option, *set;  // --option VALUE, --set KEY=VALUE, or
  unsigned word;             // the command's word with this index is replaced; one of the three
  const char **value;        // texts, in the order of the file
  size_t count;
} study_axis_t;

typedef struct study_metric {
  const char *name;
  const char *json;        // path in a run's JSON: a.b[2].c
  const char *expression;  // SQL over axes and metrics; one of the two
  const char *unit;        // or NULL
  study_better_t better;
} study_metric_t;

typedef enum study_plot_kind { STUDY_PARETO, STUDY_HEAT, STUDY_LINES } study_plot_kind_t;

typedef struct study_plot {
  const char *name, *title;  // title: NULL: none
  const char *x, *y;         // names of axes or metrics
  const char *value;         // of a heat map
  const char *series;        // or NULL
  study_plot_kind_t kind;
  bool log_x, log_y;
} study_plot_t;

typedef struct study {
  const char *file;
  const char *name;  // stem of the file
  const char *question;
  const char **command;  // "run", "amla", "--timing-only"
  size_t words;
  const char **beside;  // names of other studies, whose tables expressions may read: NAME.results
  size_t besides;
  study_axis_t *axis;
  size_t axes;
  const char **constraint;  // SQL expressions
  size_t constraints;
  study_metric_t *metric;
  size_t metrics;
  study_plot_t *plot;
  size_t plots;
  double seconds, memory_mb;  // limits of one point; 0: none
} study_t;

// NULL: error has one line that names the file, the field and what was expected.
study_t *study_open(const char *file, base_error_t *error);
void study_close(study_t *study);

#endif
