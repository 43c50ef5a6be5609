// The papers' tables and figures, ours beside theirs.
//
//   reports.def       their names
//   report.c          the list of reports; those that are wanted, one after the other
//   report_settings.h what they are asked for (model/cli/report.c reads it from the command line)
//   report_jobs.c     simulations, each in a process of its own
//   report_write.c    JSON, Markdown, plot
//   report_made.c     how each was made
//   report_html.c     the page of all
//   report_NAME.c     one report: its simulations, its files; what the paper says is in a .def
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_H
#define REPORT_H

#include "report/page/report_html.h"
#include "report/report_jobs.h"

enum {
  REPORT_TITLES = 0
#define REPORT(name, other, function, help) + 1
#include "report/reports.def"
#undef REPORT
};
extern const report_title_t report_titles[REPORT_TITLES];

// Makes settings->reports, then the page if it is asked for, which it prints a line about unless quiet.
// Returns the exit code, with the reason in error unless it is BASE_OK.
base_exit_t report_make(const report_settings_t *settings, base_error_t *error);

// --- a report ---------------------------------------------------------------------------------

enum { REPORT_KEYS_MAX = 16, REPORT_HEADS = 128 };

// What one report is run with.
typedef struct report_context {
  const char *name;                // "table5"
  const report_settings_t *settings;
} report_context_t;

// True: the report was written.  Else code is the exit code and error says why; with
// BASE_OUT_OF_TOLERANCE it was written all the same.
typedef bool report_function_t(const report_context_t *context, base_exit_t *code,
                               base_error_t *error);

#define REPORT(name, other, function, help) report_function_t function;
#include "report/reports.def"
#undef REPORT

// --- shared by the reports --------------------------------------------------------------------

// Between the steps of a report that computes in this process: says on stderr, unless --quiet, what
// comes next. False: interrupted.
bool report_step(const report_context_t *context, size_t step, size_t steps, const char *what,
                 base_exit_t *code, base_error_t *error);

// settings->config (or `usual`) and set.
bool report_config(const report_settings_t *settings, const char *usual, kernel_machine_t *machine,
                   base_error_t *error);

// The machine of a report's jobs: settings->config (or `usual`), set and gm; cores, unless the report has
// only_cores (0: it has not).
bool report_machine(const report_settings_t *settings, const char *usual, unsigned only_cores,
                    kernel_machine_t *machine, base_error_t *error);

// FLOP/s of all cube cores and bytes/s of all HBM, times 1e-12.
double report_peak_tflops(const config_t *config);
double report_hbm_tbps(const config_t *config);

typedef struct report_keys {
  size_t list[REPORT_KEYS_MAX];
  size_t count;
} report_keys_t;

// settings->keys, or `usual`.
bool report_keys(const report_settings_t *settings, const report_keys_t *usual, report_keys_t *keys,
                 base_error_t *error);

// The same for a report of one size.
bool report_one_size(const report_context_t *context, size_t usual, size_t *keys,
                     base_error_t *error);

// An entry of the paper's table 5: batch 96, 128 heads; times in us, FLOPS utilisation in %.
typedef struct report_entry {
  size_t sq, sk;
  double time_us, fu;
  double gpu_time_us, gpu_fu;
} report_entry_t;

extern const report_entry_t report_entries[];
extern const size_t report_entry_count;
enum { REPORT_PAPER_BATCH = 96 };

// NULL: the paper has no such entry.
const report_entry_t *report_paper_entry(size_t sq, size_t sk);

// FLOP/byte of MLA as the paper's section 2.4 has it: query rows x (Dk + Dv) / Dk.
double report_mla_intensity(size_t rows);

#endif
