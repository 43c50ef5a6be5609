// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "cli/sweep/sweep_identity.h"
#include "cli/sweep/sweep_on.h"
#include "host/interrupt.h"
#include "host/version.h"
#include "sweep/sweep.h"

static void help(void) {
  static const manual_row_t examples[] = {
      {"sweep studies/latency.yaml", "runs what is missing; the same command goes on with what was interrupted"},
      {"sweep studies/latency.yaml --dry-run", "what it would run"},
      {"sweep studies/latency.yaml --list", "its points, and what became of them"},
      {"sweep studies/latency.yaml --only 'latency > 1'", "some of them"},
      {"sweep studies/latency.yaml --csv", "the table for other programs"},
      {"sweep studies/latency.yaml --watch", "how far another terminal or host is with it"},
      {"sweep studies/latency.yaml --on slurm --partition long --time 60", "on a cluster, by jobs of an hour"},
      {"sweep --gc", "makes room"},
      {NULL, NULL}};
  static const manual_row_t files[] = {
      {"studies/*.yaml", "studies that ship; docs/sweep.md has the fields"},
      {"sweeps/STUDY/index.html", "the page: table and plots to look around in"},
      {"sweeps/STUDY/results.csv, results.sqlite, *.svg", "the table, also for SQL; the plots"},
      {"sweeps/store", "a folder for each result, whose point.json is the truth; the rest is made from these"},
      {NULL, NULL}};
  const manual_t manual = {
      .name = "sweep",
      .synopsis = "STUDY.yaml [options]",
      .about =
          "a question asked of many runs: table, plots, page. A study names a command, axes along which it is varied, "
          "and what is measured. Points are kept by what decides their result, the program included, and never "
          "run twice. Any number of sweeps and workers may share a store, and be stopped at any time.",
      .notes =
          "exit codes: 0 done, 1 a point has failed (table and plots are there), 2 bad usage or input, or the store "
          "cannot be written, 4 a worker has left points that need more memory than --memory, 130 interrupted "
          "(SIGTERM 143, SIGHUP 129)",
      .command = CLI_SWEEP,
      .examples = examples,
      .files = files};
  manual_print(stdout, &manual);
}

// --- what is asked for ------------------------------------------------------------------------

// At most one of those that run nothing.
static bool check_options(const options_t *options, base_error_t *error) {
  const struct {
    const char *name;
    bool given;
  } modes[] = {{"list", options->sweep_list},
               {"dry-run", options->sweep_dry_run},
               {"watch", options->sweep_watch},
               {"worker", options->sweep_worker},
               {"gc", options->sweep_gc}};
  const char *first = NULL;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
    if (modes[i].given && first != NULL) {
      return base_fail(error, "--%s: cannot go with --%s", modes[i].name, first);
    }
    first = modes[i].given ? modes[i].name : first;
  }
  if (first != NULL && (options->sweep_csv || options->sweep_retry)) {
    return base_fail(error, "--%s: cannot go with --%s", options->sweep_csv ? "csv" : "retry-failed", first);
  }
  if (options->sweep_gc && options->words == 0) {
    return true;
  }
  if (options->words == 0) {
    return base_fail(error, "sweep: name a study, such as studies/latency.yaml");
  }
  return options->words == 1 || base_fail(error, "sweep: unexpected argument '%s'", options->word[1]);
}

static base_exit_t collect_garbage(const options_t *options, base_error_t *error) {
  store_t store;
  store_gc_t gc;
  if (!store_open(&store, options->sweep_store, error) || !store_gc(&store, &gc, error)) {
    return BASE_BAD_INPUT;
  }
  if (!options->quiet) {
    printf("%s: %zu results kept, %zu removed\n", store.folder, gc.kept, gc.removed);
  }
  return BASE_OK;
}

// --- a sweep ----------------------------------------------------------------------------------

static void interrupted(const sweep_t *sweep, base_error_t *error) {
  const sweep_count_t count = sweep_count(sweep);
  base_fail(error, "interrupted; %zu of %zu points are done, and the same command goes on", count.done + count.failed,
            count.all - count.dropped - count.out);
}

// Shows table, files and failures. Files that could not be written are reported, but the table is there.
static base_exit_t show_results(sweep_t *sweep, const options_t *options, base_error_t *error) {
  FILE *text = options->sweep_csv ? stderr : stdout;
  base_error_t nothing;
  const bool written = sweep_write(sweep, error);
  if ((!options->quiet || options->sweep_csv) &&
      !sweep_print_table(sweep, stdout, options->sweep_csv, written ? error : &nothing)) {
    return BASE_BAD_INPUT;
  }
  if (!options->quiet) {
    sweep_print_count(sweep, text);
    sweep_print_failures(sweep, text);
    if (written) {
      fprintf(text, "files: %s/%s/index.html, results.csv, results.sqlite%s\n", sweep->store.folder, sweep->study->name,
              sweep->study->plots > 0 ? ", *.svg" : "");
    }
  }
  return !written ? BASE_BAD_INPUT : sweep_count(sweep).failed > 0 ? BASE_OUT_OF_TOLERANCE : BASE_OK;
}

static base_exit_t run_points(sweep_t *sweep, const options_t *options, base_error_t *error) {
  if (options->sweep_retry && !sweep_retry_failed(sweep, error)) {
    return BASE_BAD_INPUT;
  }
  const base_exit_t code = sweep_on_run(sweep, options, error);
  if (code == BASE_INTERRUPTED) {
    interrupted(sweep, error);
  }
  return code != BASE_OK ? code : show_results(sweep, options, error);
}

static base_exit_t do_mode(sweep_t *sweep, const options_t *options, base_error_t *error) {
  if (options->sweep_list) {
    sweep_print_list(sweep, stdout);
  } else if (options->sweep_dry_run) {
    sweep_print_commands(sweep, stdout);
  } else if (options->sweep_watch) {
    return sweep_watch(sweep, error);
  } else if (options->sweep_worker) {
    return sweep_run(sweep, SWEEP_WORKER, error);
  } else {
    return run_points(sweep, options, error);
  }
  return BASE_OK;
}

static base_exit_t open_and_do(const options_t *options, base_error_t *error) {
  sweep_command_t command = sweep_identity_make();
  const sweep_settings_t settings = {.study = options->word[0],
                                     .store = options->sweep_store,
                                     .only = options->sweep_only,
                                     .version = version_text(),
                                     .command = &command,
                                     .jobs = (unsigned)option_count_or(&options->sweep_jobs, 0),
                                     .memory_mb = (double)option_count_or(&options->sweep_memory, 0),
                                     .chunk = option_count_or(&options->sweep_chunk, 0),
                                     .quiet = options->quiet};
  sweep_t sweep;
  base_exit_t code = BASE_BAD_INPUT;
  if (sweep_open(&sweep, &settings, error)) {
    code = do_mode(&sweep, options, error);
    sweep_close(&sweep);
  }
  sweep_identity_free(&command);
  return code;
}

int sweep_command(int argc, char **argv) {
  options_t options;
  base_error_t error = {""};
  base_exit_t code = BASE_BAD_INPUT;
  if (!options_parse(&options, CLI_SWEEP, argc, argv, &error)) {
    return base_report(BASE_BAD_INPUT, &error);
  }
  if (options.help) {
    help();
    return BASE_OK;
  }
  host_hold_interrupts();
  if (check_options(&options, &error) && sweep_on_check(&options, &error)) {
    code = options.sweep_gc ? collect_garbage(&options, &error) : open_and_do(&options, &error);
  }
  if (code == BASE_INTERRUPTED && error.text[0] == '\0') {
    base_fail(&error, "interrupted");
  }
  const bool silent = code == BASE_OK || code == BASE_OUT_OF_TOLERANCE || code == (base_exit_t)SWEEP_TOO_LARGE;
  return silent ? (int)code : base_report(code, &error);
}
