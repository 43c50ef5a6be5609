// A report's files: DIR/NAME.json, .md and .svg, all of them or none.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include "report/document.h"
#include "report/report.h"

typedef struct report_files {
  json_fill_fn *fill;        // the document
  const char *text;          // its template
} report_files_t;

// data: for fill.
bool report_write(const report_context_t *context, const report_files_t *files, const void *data,
                  base_error_t *error);

// report_run, then report_write.
bool report_run_and_write(const report_context_t *context, report_jobs_t *jobs, bool large,
                          const report_files_t *files, const void *data, base_exit_t *code,
                          base_error_t *error);

#endif
