// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "report/report.h"
#include "report/report_made.h"

enum { LINE_BYTES = 2048 };

static void print_list(void) {
  for (size_t i = 0; i < REPORT_TITLES; ++i) {
    const char *other = report_titles[i].other;
    printf("  %-12s %s%s%s%s\n", report_titles[i].name, report_titles[i].help, other == NULL ? "" : " (or ",
           other == NULL ? "" : other, other == NULL ? "" : ")");
  }
}

static void print_help(void) {
  static const manual_row_t examples[] = {
      {"report", "lists the reports"},
      {"report table5 fig1 --html", "two of them, and the page of all reports that are there"},
      {"report all --html", "everything; minutes to an hour the first time"},
      {"report table3 --seeds 5 --dist 'N(0,25)' --out my", "a part of one, in the folder my"},
      {"report --html", "only the page, of what is in reports/ already"},
      {NULL, NULL}};
  static const manual_row_t files[] = {{"reports/NAME.json", "all numbers of a report, and how it was made"},
                                       {"reports/NAME.md, .svg", "to read"},
                                       {"reports/index.html", "--html: all of them in one file, which needs no others"},
                                       {NULL, NULL}};
  const manual_t manual = {.name = "report",
                           .synopsis = "WHAT... [options]",
                           .about =
                               "tables and figures of the papers, ours beside theirs. WHAT is `all`, or some of the "
                               "reports below. Each writes NAME.json and NAME.md, and most write a plot.",
                           .notes =
                               "exit codes: 0 done, 1 in table3 or table4 amla is worse than base by more than "
                               "model/report/amla/accuracy.def allows, 2 bad usage or input, 3 the "
                               "model stopped the firmware, 130 interrupted (SIGTERM 143, SIGHUP 129)",
                           .command = CLI_REPORT,
                           .examples = examples,
                           .files = files};
  manual_print(stdout, &manual);
  manual_heading(stdout, "REPORTS");
  print_list();
}

// --- what was asked for -----------------------------------------------------------------------

static bool is_title(const report_title_t *title, const char *word) {
  return strcmp(title->name, word) == 0 || (title->other != NULL && strcmp(title->other, word) == 0);
}

static bool check_word(const char *word, base_error_t *error) {
  const char *names[REPORT_TITLES];
  char hint[64];
  for (size_t i = 0; i < REPORT_TITLES; ++i) {
    names[i] = report_titles[i].name;
    if (is_title(&report_titles[i], word)) {
      return true;
    }
  }
  return strcmp(word, "all") == 0 || base_fail(error, "report %s: no such report%s; `amalgam report` lists them", word,
                                               suggest_text(word, names, REPORT_TITLES, "", hint, sizeof hint));
}

static bool check_words(const options_t *options, base_error_t *error) {
  for (int i = 0; i < options->words; ++i) {
    if (!check_word(options->word[i], error)) {
      return false;
    }
  }
  return options->words > 0 || options->report_html ||
         base_fail(error, "report: name one or more; `amalgam report` lists them");
}

// The options that say what is in a report, as on a command line.
static bool join_arguments(int argc, char **argv, char line[LINE_BYTES], base_error_t *error) {
  const char **kept = calloc((size_t)argc, sizeof *kept);
  size_t count = 0;
  const bool good = (kept != NULL || base_fail(error, "out of memory")) &&
                    options_keep(CLI_REPORT, OPTION_OUTPUT | OPTION_WORDS, argc, argv, kept, &count, error);
  line[0] = '\0';
  for (size_t i = 0; i < count; ++i) {
    report_made_word(line, LINE_BYTES, kept[i]);
  }
  free(kept);
  return good;
}

static report_words_t list_words(const option_list_t *list) { return (report_words_t){list->item, list->count}; }

static report_settings_t settings_of(const options_t *o) {
  return (report_settings_t){
      .reports = {(const char *const *)o->word, (size_t)o->words},
      .out = o->report_out,
      .quiet = o->quiet,
      .html = o->report_html,
      .processes = option_count_or(&o->report_jobs, 0),
      .config = o->report_config,
      .set = list_words(&o->set),
      .cores = option_count_or(&o->report_cores, 0),
      .gm_rtl = o->report_gm.value == 0,
      .engine_rtl = o->report_impl.value == 0,
      .seeds = option_count_or(&o->seeds, 0),
      .batch = option_count_or(&o->report_batch, 0),
      .keys = o->report_keys,
      .dist = list_words(&o->only),
      .shapes = list_words(&o->report_shapes),
      .rows = list_words(&o->report_rows),
      .head_dim = o->report_d,
      .functional = o->functional,
      .fit = !o->fit.given       ? REPORT_FIT_NO
             : o->fit.value == 0 ? REPORT_FIT_TABLE5
                                 : REPORT_FIT_ALL,
      .fit_largest = o->fit_error.value != 0,
      .liberty = o->liberty,
      .node = option_count_or(&o->node, 0),
      .clock_fo4 = (unsigned)o->clock_fo4.value,
      .wires = o->wires,
  };
}

int report_command(int argc, char **argv) {
  options_t options;
  base_error_t error;
  char arguments[LINE_BYTES];
  if (argc == 1) {
    printf("amalgam report WHAT... writes one or more of\n\n");
    print_list();
    return BASE_OK;
  }
  if (!options_parse(&options, CLI_REPORT, argc, argv, &error)) {
    return base_report(BASE_BAD_INPUT, &error);
  }
  if (options.help) {
    print_help();
    return BASE_OK;
  }
  if (!check_words(&options, &error)) {
    return base_report(BASE_BAD_INPUT, &error);
  }
  report_settings_t settings = settings_of(&options);
  if (!join_arguments(argc, argv, arguments, &error)) {
    return base_report(BASE_BAD_INPUT, &error);
  }
  settings.arguments = arguments;
  const base_exit_t code = report_make(&settings, &error);
  return code == BASE_OK ? (int)BASE_OK : base_report(code, &error);
}
