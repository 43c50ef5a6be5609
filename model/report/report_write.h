// A report's files: DIR/NAME.json, .md and .svg, all of them or none.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include <stdio.h>

#include "base/json.h"
#include "report/report_jobs.h"

typedef struct report_files {
  const char *name;          // "table3"
  const char *plot_name;     // of the SVG, NULL: name
  const char *plot_size;     // of the SVG, NULL: "760,380"
  const void *data;          // handed to the functions below
  json_fill_fn *json;
  void (*markdown)(const void *data, FILE *file);
  void (*plot)(const void *data, FILE *gnuplot);   // terminal and output are set; NULL: no SVG
} report_files_t;

bool report_write(const report_files_t *files, const char *directory, base_error_t *error);

// report_run, then report_write.
bool report_run_and_write(report_jobs_t *jobs, bool large, const report_files_t *files,
                          const char *directory, base_exit_t *code, base_error_t *error);

// Of a plot: ends its data, then bars side by side.
void report_bars(FILE *gnuplot);

// " VALUE |", a cell of a Markdown table, empty if the value is not a number (NAN).
void report_cell(FILE *file, int decimals, double value);

#endif
