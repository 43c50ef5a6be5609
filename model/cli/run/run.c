// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "blame/watch.h"
#include "cli/run/dump_all.h"
#include "cli/run/dumps.h"
#include "cli/run/retrace.h"
#include "cli/text/csv.h"
#include "cli/text/profile.h"
#include "host/interrupt.h"

static run_t *running;

void run_building(const char *what) { progress_note(&running->progress, what); }

// --- output files -----------------------------------------------------------------------------

static const char *file_option(const run_t *run, run_file_t file) {
  const options_t *o = &run->options;
  switch (file) {
    case RUN_OUT:
      return o->out != NULL ? o->out : o->decode_logits;
    case RUN_JSON:
      return o->json;
    case RUN_TIMELINE:
      return o->timeline;
    case RUN_LOG:
      return o->log;
    case RUN_CRITICAL_PATH:
      return o->critical_path;
    case RUN_LSE:
      return o->fp8_lse;
    case RUN_CSV_PIPES:
    case RUN_CSV_TRAFFIC:
    case RUN_CSV_OPERATIONS:
    case RUN_CSV_PROFILE:
      return run->csv[file][0] == '\0' ? NULL : run->csv[file];
    case RUN_WATCH:
      return o->watch.count == 0 ? NULL : o->watch_log == NULL ? "-" : o->watch_log;
    default:
      return o->trace;
  }
}

const char *run_path(const run_t *run, run_file_t file) {
  return file_option(run, file) == NULL ? NULL : outputs_path(&run->outputs, run->file[file]);
}

// --csv: a file for each table that this run has.
static bool name_tables(run_t *run) {
  static const char *const names[RUN_FILES] = {[RUN_CSV_PIPES] = "pipes",
                                               [RUN_CSV_TRAFFIC] = "traffic",
                                               [RUN_CSV_OPERATIONS] = "operations",
                                               [RUN_CSV_PROFILE] = "profile"};
  const options_t *o = &run->options;
  const bool none[RUN_FILES] = {
      [RUN_CSV_OPERATIONS] = run->kernel->command != CLI_RUN_DECODE, [RUN_CSV_PROFILE] = !o->profile};
  for (run_file_t file = 0; o->csv != NULL && file < RUN_FILES; ++file) {
    if (names[file] == NULL || none[file]) {
      continue;
    }
    const int length = snprintf(run->csv[file], RUN_PATH_BYTES, "%s.%s.csv", o->csv, names[file]);
    if (length >= RUN_PATH_BYTES) {
      return base_fail(&run->error, "--csv: name too long");
    }
  }
  return o->csv == NULL || (o->csv[0] != '\0' && strcmp(o->csv, "-") != 0) ||
         base_fail(&run->error, "--csv: expected what the files' names begin with, such as r for r.pipes.csv, got '%s'",
                   o->csv);
}

static bool add_file(run_t *run, run_file_t file) {
  const char *path = file_option(run, file);
  const bool simulated = file >= RUN_TIMELINE;  // it writes it
  return path == NULL || (outputs_add(&run->outputs, path, &run->file[file], &run->error) &&
                          (!simulated || outputs_stage(&run->outputs, run->file[file], &run->error)));
}

static bool add_files(run_t *run) {
  bool good = name_tables(run);
  for (run_file_t file = 0; good && file < RUN_FILES; ++file) {
    good = add_file(run, file);
  }
  return good && dumps_add(run) && dump_all_check(&run->options, &run->error);
}

// All that is known of the run, once its result has been compared.
static void take_numbers(run_t *run) {
  if (run->options.json == NULL && run->options.csv == NULL && !run->options.profile) {
    return;
  }
  cJSON *root = run->numbers = cJSON_CreateObject();
  json_add_amalgam(root);
  run->kernel->fill_json(run, root);
  cJSON *host = cJSON_GetObjectItemCaseSensitive(root, "host");
  cJSON *words = cJSON_AddArrayToObject(host, "arguments");
  for (int i = 0; i < run->words; ++i) {
    cJSON_AddItemToArray(words, cJSON_CreateString(run->word[i]));
  }
}

static bool write_out(run_t *run) {
  FILE *file = outputs_open(&run->outputs, run->file[RUN_OUT], &run->error);
  return file != NULL && run->kernel->write_out(run, file, &run->error);
}

static bool write_lse(run_t *run) {
  FILE *file = outputs_open(&run->outputs, run->file[RUN_LSE], &run->error);
  return file != NULL && run->kernel->write_lse(run, file, &run->error);
}

// Before or after a stop: what was written until then.
static bool write_watch(run_t *run) {
  const soc_result_t *soc = run->kernel->soc(run);
  if (soc->replay == NULL) {
    return true;  // stopped before it began
  }
  FILE *file = outputs_open(&run->outputs, run->file[RUN_WATCH], &run->error);
  return file != NULL && blame_watch(soc->replay, run->options.watch.item, run->options.watch.count, file, &run->error);
}

static bool write_json(run_t *run) {
  FILE *file = outputs_open(&run->outputs, run->file[RUN_JSON], &run->error);
  return file != NULL && json_print(file, run->numbers, &run->error);
}

// What went to and from memory: of all, then of each array where the kernel says that.
static cJSON *traffic_table(const cJSON *numbers) {
  const cJSON *item;
  cJSON *list = cJSON_CreateArray();
  cJSON *all = json_add_row(list);
  cJSON_AddStringToObject(all, "name", "all");
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(numbers, "traffic")) {
    cJSON_AddItemToObject(all, item->string, cJSON_Duplicate(item, true));
  }
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(numbers, "arrays")) {
    cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
  }
  return list;
}

static bool write_table(run_t *run, run_file_t which, const cJSON *list) {
  FILE *file = run->csv[which][0] == '\0' ? NULL : outputs_open(&run->outputs, run->file[which], &run->error);
  if (file != NULL) {
    csv_write(file, list);
  }
  return file != NULL || run->csv[which][0] == '\0';
}

static bool write_tables(run_t *run) {
  cJSON *traffic = run->options.csv == NULL ? NULL : traffic_table(run->numbers);
  const bool good =
      write_table(run, RUN_CSV_PIPES, cJSON_GetObjectItemCaseSensitive(run->numbers, "pipes")) &&
      write_table(run, RUN_CSV_TRAFFIC, traffic) &&
      write_table(run, RUN_CSV_OPERATIONS, cJSON_GetObjectItemCaseSensitive(run->numbers, "operations")) &&
      write_table(run, RUN_CSV_PROFILE, cJSON_GetObjectItemCaseSensitive(run->numbers, "profile"));
  cJSON_Delete(traffic);
  return good;
}

// Those that the simulation has written; one that was stopped early may not have.
static void take_written(run_t *run) {
  for (run_file_t file = RUN_TIMELINE; file < RUN_FILES; ++file) {
    if (run_path(run, file) != NULL) {
      outputs_written(&run->outputs, run->file[file]);
    }
  }
  dumps_written(run);
}

static bool write_files(run_t *run) {
  take_written(run);
  take_numbers(run);
  return (file_option(run, RUN_OUT) == NULL || write_out(run)) && (run->options.fp8_lse == NULL || write_lse(run)) &&
         (run->options.watch.count == 0 || write_watch(run)) && (run->options.json == NULL || write_json(run)) &&
         write_tables(run) && dump_all_commit(run, &run->error);
}

// --- the steps --------------------------------------------------------------------------------

// What was recorded shows why it stopped, or how far it got.
static base_exit_t stopped(run_t *run, base_exit_t status) {
  base_error_t error;
  if (status != BASE_BAD_INPUT) {
    take_written(run);
    base_error_t reason = run->error;
    const bool watched = run->options.watch.count == 0 || write_watch(run);
    if (!watched) {
      base_report(status, &run->error);
    }
    run->error = reason;
    if (!dump_all_commit(run, &error)) {
      base_report(status, &error);
    }
  }
  return status;
}

static bool judge(run_t *run) {
  if (run->kernel->judge == NULL) {
    return true;
  }
  progress_note(&run->progress, "comparing ...");
  return run->kernel->judge(run);
}

static base_exit_t finish(run_t *run) {
  const bool good = judge(run) && retrace(run, run_path(run, RUN_TRACE), &run->error) && write_files(run);
  progress_note(&run->progress, "");
  if (!good) {
    return BASE_BAD_INPUT;
  }
  if (!run->options.quiet) {
    run->kernel->print(run);
    if (run->options.profile) {
      text_profile(stdout, cJSON_GetObjectItemCaseSensitive(run->numbers, "profile"));
    }
  }
  if (!output_printed(&run->error)) {
    return BASE_BAD_INPUT;
  }
  return run->kernel->verdict == NULL ? BASE_OK : run->kernel->verdict(run);
}

static bool prepare(run_t *run) {
  return (run->options.words == 0 ||
          base_fail(&run->error, "run %s: unexpected argument '%s'", run->kernel->name, run->options.word[0])) &&
         add_files(run) && run->kernel->prepare(run);
}

static base_exit_t simulate(run_t *run) {
  if (!prepare(run)) {
    return BASE_BAD_INPUT;
  }
  progress_start(&run->progress, run->options.quiet, 0, 1);
  const base_exit_t status = run->kernel->compute(run);
  progress_note(&run->progress, "");
  return status == BASE_OK ? finish(run) : stopped(run, status);
}

static void print_help(const run_kernel_t *kernel) {
  char name[32];
  snprintf(name, sizeof name, "run %s", kernel->name);
  const manual_t manual = {.name = name,
                           .synopsis = "[options]",
                           .about = kernel->about,
                           .notes = kernel->notes,
                           .command = kernel->command,
                           .examples = kernel->examples,
                           .files = kernel->files};
  manual_print(stdout, &manual);
}

static int run_all(run_t *run, int argc, char **argv) {
  base_exit_t code = BASE_BAD_INPUT;
  if (options_parse(&run->options, run->kernel->command, argc, argv, &run->error)) {
    if (run->options.help) {
      print_help(run->kernel);
      return BASE_OK;
    }
    code = simulate(run);
  }
  if (code != BASE_OK && host_interrupted()) {  // whatever failed for it
    code = BASE_INTERRUPTED;
    base_fail(&run->error, "interrupted");
  }
  return code == BASE_OK ? (int)BASE_OK : base_report(code, &run->error);
}

run_t *run_again(const run_kernel_t *kernel, int argc, char **argv, base_exit_t *code, base_error_t *error) {
  run_t *run = calloc(1, sizeof *run);
  void *own = calloc(1, kernel->own_bytes);
  if (run == NULL || own == NULL) {
    free(own);
    free(run);
    base_fail(error, "out of memory");
    return NULL;
  }
  *run = (run_t){.kernel = kernel, .own = own, .word = argv, .words = argc, .replay = true};
  running = run;
  if (!options_parse(&run->options, kernel->command, argc, argv, &run->error) || !prepare(run)) {
    *error = run->error;
    run_free(run);
    return NULL;
  }
  progress_start(&run->progress, run->options.quiet, 0, 1);
  *code = kernel->compute(run);
  progress_note(&run->progress, "");
  *error = run->error;
  return run;
}

void run_free(run_t *run) {
  outputs_discard(&run->outputs);
  run->kernel->release(run);
  free(run->own);
  free(run);
}

int run_main(const run_kernel_t *kernel, int argc, char **argv) {
  run_t *run = calloc(1, sizeof *run);
  void *own = calloc(1, kernel->own_bytes);
  int code = BASE_BAD_INPUT;
  if (run != NULL && own != NULL) {
    run->kernel = kernel;
    run->own = own;
    run->word = argv;
    run->words = argc;
    running = run;
    code = run_all(run, argc, argv);
    outputs_discard(&run->outputs);
    cJSON_Delete(run->numbers);
    kernel->release(run);
  }
  free(own);
  free(run);
  return code;
}
