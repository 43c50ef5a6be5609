// A report's files: DIR/NAME.json, .md and .svg, all of them or none.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_REPORT_WRITE_H
#define AMALGAM_REPORT_REPORT_WRITE_H

#include "base/output.h"
#include "report/document.h"
#include "report/report.h"

typedef struct report {
  json_fill_fn *fill;  // the document
  const char *text;    // its template
  // For reports that are simulated: adds the jobs, and says, when the files are there, whether they are as they
  // must be (NULL: they are).
  void (*add)(report_jobs_t *jobs, void *data);
  bool (*check)(const void *data, base_exit_t *code, base_error_t *error);
} report_t;

// Notes DIR/NAME.ENDING as a file to be written (base/output.h).
bool report_file(const report_settings_t *settings, const char *name, const char *ending, outputs_t *outputs,
                 size_t *index, base_error_t *error);

// data: for fill.
bool report_write(const report_context_t *context, const report_t *report, const void *data, base_error_t *error);

// Adds the jobs, runs them (large: as report_run has it), writes the report and checks it.
bool report_simulate(const report_context_t *context, const report_t *report, bool large, void *data, base_exit_t *code,
                     base_error_t *error);

#endif
