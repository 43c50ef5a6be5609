// The command `report`: the paper's tables, ours beside theirs.
//
//   report.c        options, gates, exit code
//   report_jobs.c   the simulations, each in a process of its own
//   report_write.c  JSON, Markdown, plot
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/options.h"
#include "cli/parse.h"
#include "cli/settings.h"

// argv[0] is "report".  Returns the exit code.
int report(int argc, char **argv);

// --- between the parts ------------------------------------------------------------------------

typedef struct report_pair {
  double base, amla;
} report_pair_t;

typedef struct report_row {
  unsigned table;
  const char *name;
  distribution_t distribution;
  report_pair_t paper;
  double gate, gate_f32;
} report_row_t;

extern const report_row_t report_rows[];
extern const size_t report_row_count;

// Relative errors of one row and seed; in memory shared with the process that computes them.
typedef struct report_job {
  const report_row_t *row;
  uint64_t seed;
  report_pair_t bf16, f32;
  int status;                 // soc_status_t
  cli_error_t error;
} report_job_t;

typedef struct report_jobs {
  report_job_t *list;
  size_t count;
  size_t keys;
  soc_options_t soc;          // firmware is set for each kernel
  bool quiet;
} report_jobs_t;

// Runs all jobs, two at a time.  False: error says which one failed, code is the exit code.
bool report_run(report_jobs_t *jobs, cli_exit_t *code, cli_error_t *error);

// Writes DIR/tableN.json, .md and .svg from the jobs of that table.
bool report_write(const report_jobs_t *jobs, unsigned table, size_t seeds, const char *directory,
                  cli_error_t *error);

#endif
