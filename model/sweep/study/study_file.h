// Internal to study: a study's file as libcyaml reads it, every value still text.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STUDY_STUDY_FILE_H
#define AMALGAM_SWEEP_STUDY_STUDY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// A text that is not given is NULL. Counts are as libcyaml has them, beside the list of the same name.

typedef struct file_range {
  char *from, *to, *step;
} file_range_t;

typedef struct file_axis {
  char *name, *option, *set, *word;
  char **values;
  uint32_t values_count;
  file_range_t *range, *powers;
} file_axis_t;

typedef struct file_metric {
  char *name, *json, *expression, *unit, *better;
} file_metric_t;

typedef struct file_plot {
  char *name, *kind, *title, *x, *y, *value, *series;
  char **log;
  uint32_t log_count;
} file_plot_t;

typedef struct file_limits {
  char *seconds, *memory_mb;
} file_limits_t;

typedef struct study_file {
  char *question, *command;
  char **beside;
  uint32_t beside_count;
  file_axis_t *axes;
  uint32_t axes_count;
  char **constraints;
  uint32_t constraints_count;
  file_metric_t *metrics;
  uint32_t metrics_count;
  file_plot_t *plots;
  uint32_t plots_count;
  file_limits_t *limits;
} study_file_t;

// NULL: error names the file, the line, the field and what was expected.
study_file_t *study_file_read(const char *path, base_error_t *error);
void study_file_free(study_file_t *file);

#endif
