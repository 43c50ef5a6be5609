// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/option/manual.h"
#include "cli/option/suggest.h"
#include "host/interrupt.h"
#include "report/page/report_html.h"
#include "report/report_made.h"

static const report_title_t rows[] = {
#define REPORT(name, other, function, help) {#name, other, help},
#include "report/reports.def"
#undef REPORT
};
static report_function_t *const run_row[] = {
#define REPORT(name, other, function, help) function,
#include "report/reports.def"
#undef REPORT
};
enum { ROWS = sizeof rows / sizeof *rows };

static void print_list(void) {
  for (size_t i = 0; i < ROWS; ++i) {
    const char *other = rows[i].other;
    printf("  %-12s %s%s%s%s\n", rows[i].name, rows[i].help, other == NULL ? "" : " (or ",
           other == NULL ? "" : other, other == NULL ? "" : ")");
  }
}

static void print_help(void) {
  static const manual_row_t examples[] = {
      {"report", "lists the reports"},
      {"report table5 fig1 --html", "two of them, and the page of all that are there"},
      {"report all --html", "everything; minutes to an hour the first time"},
      {"report table3 --seeds 5 --dist 'N(0,25)' --out my", "some of one, in the folder my"},
      {"report --html", "the page of what is in reports/ already"},
      {NULL, NULL}};
  static const manual_row_t files[] = {
      {"reports/NAME.json", "all numbers of a report, and how it was made"},
      {"reports/NAME.md, .svg", "to read"},
      {"reports/index.html", "--html: all of them in one file, which needs no other"},
      {NULL, NULL}};
  const manual_t manual = {
      .name = "report",
      .synopsis = "WHAT... [options]",
      .about =
          "tables and figures of the AMLA and H-FA papers, ours beside theirs. WHAT is `all`, "
          "or some of the reports that `amalgam report` lists. Each writes NAME.json and "
          "NAME.md, most also a plot.",
      .notes =
          "exit codes: 0 done, 1 in table3 or table4 amla is worse than base by more than the "
          "gates in model/report/amla/report_accuracy.def allow, 2 bad usage or input, 3 the "
          "model stopped the firmware, 130 interrupted",
      .command = CLI_REPORT,
      .examples = examples,
      .files = files};
  manual_print(stdout, &manual);
  manual_heading(stdout, "REPORTS");
  print_list();
}

// --- what was asked for -----------------------------------------------------------------------

static bool is_row(const report_title_t *row, const char *word) {
  return strcmp(row->name, word) == 0 || (row->other != NULL && strcmp(row->other, word) == 0);
}

static bool refuse(const char *word, base_error_t *error) {
  const char *names[ROWS];
  char hint[64];
  for (size_t i = 0; i < ROWS; ++i) {
    names[i] = rows[i].name;
  }
  return base_fail(error, "report %s: no such report%s; `amalgam report` lists them", word,
                   suggest_text(word, names, ROWS, "", hint, sizeof hint));
}

static bool reports_wanted(const options_t *options, bool wanted[ROWS], base_error_t *error) {
  for (int i = 0; i < options->words; ++i) {
    const char *word = options->word[i];
    const bool all = strcmp(word, "all") == 0;
    bool known = all;
    for (size_t j = 0; j < ROWS; ++j) {
      wanted[j] = wanted[j] || all || is_row(&rows[j], word);
      known = known || is_row(&rows[j], word);
    }
    if (!known) {
      return refuse(word, error);
    }
  }
  return options->words > 0 || options->report_html ||
         base_fail(error, "report: name one or more; `amalgam report` lists them");
}

static bool make_directory(const char *path, bool *made, base_error_t *error) {
  struct stat status;
  *made = mkdir(path, 0777) == 0;
  if (!*made && errno != EEXIST) {
    return base_fail(error, "--out %s: %s", path, strerror(errno));
  }
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
    return base_fail(error, "--out %s: %s", path, strerror(ENOTDIR));
  }
  return access(path, W_OK | X_OK) == 0 || base_fail(error, "--out %s: %s", path, strerror(errno));
}

// --- the command ------------------------------------------------------------------------------

// A command line: `report`, as it was parsed.
typedef struct invocation {
  options_t options;
  int argc;
  char **argv;
} invocation_t;

static base_exit_t run_wanted(const invocation_t *invocation, const bool wanted[ROWS],
                              base_error_t *error) {
  base_exit_t worst = BASE_OK;
  for (size_t i = 0; i < ROWS; ++i) {
    base_exit_t code = BASE_BAD_INPUT;
    base_error_t reason;
    const report_context_t context = {.name = rows[i].name, .options = &invocation->options};
    report_made_by(rows[i].name, &invocation->options, invocation->argc, invocation->argv);
    if (wanted[i] && !run_row[i](&context, &code, &reason)) {
      *error = reason;
      worst = code;
      if (code != BASE_OUT_OF_TOLERANCE) {
        break;
      }
    }
  }
  if (report_interrupted()) {
    base_fail(error, "interrupted");
    return BASE_INTERRUPTED;
  }
  return worst;
}

// --html: the page of what is in the folder now.
static bool write_page(const options_t *options, base_error_t *error) {
  report_html_t page = {.list = rows, .count = ROWS, .directory = options->report_out};
  if (!report_html(&page, error)) {
    return false;
  }
  if (!options->quiet) {
    printf("%s/index.html: %zu of %d reports", page.directory, page.there, (int)ROWS);
    for (size_t i = 0, missing = 0; i < ROWS; ++i) {
      if (!report_html_has(&page, i)) {
        printf("%s%s", missing++ == 0 ? "; missing: " : ", ", rows[i].name);
      }
    }
    putchar('\n');
  }
  return output_printed(error);
}

static base_exit_t run_reports(const invocation_t *invocation, base_error_t *error) {
  const options_t *options = &invocation->options;
  bool wanted[ROWS] = {false};
  bool made = false;
  host_hold_interrupts();
  if (!reports_wanted(options, wanted, error) ||
      (options->words > 0 && !make_directory(options->report_out, &made, error))) {
    return BASE_BAD_INPUT;
  }
  base_exit_t code = run_wanted(invocation, wanted, error);
  if (options->report_html && (code == BASE_OK || code == BASE_OUT_OF_TOLERANCE)) {
    base_error_t reason;
    if (!write_page(options, &reason)) {
      *error = reason;
      code = BASE_BAD_INPUT;
    }
  }
  if (made) {
    rmdir(options->report_out);   // unless something was written
  }
  return code;
}

int report(int argc, char **argv) {
  invocation_t invocation = {.argc = argc, .argv = argv};
  base_error_t error;
  if (argc == 1) {
    printf("amalgam report WHAT... writes one or more of\n\n");
    print_list();
    return BASE_OK;
  }
  if (!options_parse(&invocation.options, CLI_REPORT, argc, argv, &error)) {
    return base_report(BASE_BAD_INPUT, &error);
  }
  if (invocation.options.help) {
    print_help();
    return BASE_OK;
  }
  const base_exit_t code = run_reports(&invocation, &error);
  return code == BASE_OK ? (int)BASE_OK : base_report(code, &error);
}
