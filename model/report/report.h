// The papers' tables and figures, ours beside theirs.
//
//   reports.def       their names
//   report.c          the list of reports; those that are wanted, one after the other
//   report_settings.h what they are asked for (model/cli/report.c reads it from the command line)
//   report_jobs.c     simulations, each in a process of its own
//   document.h        what a report says, and the templates that show it
//   report_write.c    a report's files
//   report_made.c     how each was made
//   page/             the page of all
//   GROUP/NAME.c      one report: its simulations, its numbers
//   GROUP/NAME.md     its words, tables and plot
//   GROUP/NAME.def    what the paper says
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_REPORT_H
#define AMALGAM_REPORT_REPORT_H

#include <cJSON.h>

#include "report/page/report_html.h"
#include "report/report_jobs.h"

enum {
  REPORT_TITLES = 0
#define REPORT(name, other, function, needs, help) +1
#include "report/reports.def"
#undef REPORT
};
extern const report_title_t report_titles[REPORT_TITLES];

// Makes settings->reports, then the page if it is asked for, which it prints a line about unless quiet.
// Returns the exit code, with the reason in error unless it is BASE_OK.
base_exit_t report_make(const report_settings_t *settings, base_error_t *error);

// --- a report ---------------------------------------------------------------------------------

enum { REPORT_KEYS_MAX = 16, REPORT_HEADS = 128 };

// The settings with which one report is run.
typedef struct report_context {
  const char *name;  // "table5"
  const report_settings_t *settings;
  cJSON *made;  // how it is made (report_made.h)
} report_context_t;

// True: the report was written.  Else code is the exit code and error says why; with
// BASE_OUT_OF_TOLERANCE it was written all the same.
typedef bool report_function_t(const report_context_t *context, base_exit_t *code, base_error_t *error);

#define REPORT(name, other, function, needs, help) report_function_t function;
#include "report/reports.def"
#undef REPORT

// --- shared by the reports --------------------------------------------------------------------

// Between the steps of a report that computes in this process: says on stderr, unless --quiet, what
// comes next. False: interrupted.
bool report_step(const report_context_t *context, size_t step, size_t steps, const char *what, base_exit_t *code,
                 base_error_t *error);

// settings->config (or `usual`) and set.
bool report_config(const report_settings_t *settings, const char *usual, kernel_machine_t *machine,
                   base_error_t *error);

// The machine of a report's jobs: settings->config (or `usual`), set and gm; cores, unless the report has
// only_cores (0: it has not).
bool report_machine(const report_context_t *context, const char *usual, unsigned only_cores, kernel_machine_t *machine,
                    base_error_t *error);

// Numbers separated by commas, as an option gives them: how many, of which size.
typedef struct report_numbers {
  const char *option, *example;  // "--seq-kv", "1024,4096"
  size_t least, most, room;
} report_numbers_t;

bool report_numbers(const report_numbers_t *what, const char *text, size_t *list, size_t *count, base_error_t *error);

typedef struct report_keys {
  size_t list[REPORT_KEYS_MAX];
  size_t count;
} report_keys_t;

// settings->keys, or `usual`.
bool report_keys(const report_settings_t *settings, const report_keys_t *usual, report_keys_t *keys,
                 base_error_t *error);

// The number of keys for a report of one size.
bool report_one_size(const report_context_t *context, size_t usual, size_t *keys, base_error_t *error);

#endif
