// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "blame/watch.h"
#include "cli/run/dumps.h"
#include "cli/run/retrace.h"
#include "cli/text/csv.h"
#include "cli/text/profile.h"
#include "host/interrupt.h"

// --- output files -----------------------------------------------------------------------------

static const char *table_path(const run_t *run, run_file_t file) {
  return run->csv[file][0] == '\0' ? NULL : run->csv[file];
}

static const char *file_option(const run_t *run, run_file_t file) {
  const options_t *o = &run->options;
  switch (file) {
#define RUN_FILE(NAME, path, write) \
  case RUN_##NAME:                  \
    return path;
#include "cli/run/files.def"
#undef RUN_FILE
    default:
      return NULL;
  }
}

const char *run_path(const run_t *run, run_file_t file) {
  return file_option(run, file) == NULL ? NULL : outputs_path(&run->outputs, run->file[file]);
}

static bool name_table(run_t *run, run_file_t file, const char *name) {
  return snprintf(run->csv[file], RUN_PATH_BYTES, "%s.%s.csv", run->options.csv, name) < RUN_PATH_BYTES ||
         base_fail(&run->error, "--csv: name too long");
}

// --csv: a file for each table that this run has.
static bool name_tables(run_t *run) {
  const options_t *o = &run->options;
  if (o->csv == NULL) {
    return true;
  }
  if (o->csv[0] == '\0' || strcmp(o->csv, "-") == 0) {
    return base_fail(&run->error,
                     "--csv: expected what the files' names begin with, such as r for r.pipes.csv, got '%s'", o->csv);
  }
  return name_table(run, RUN_CSV_PIPES, "pipes") && name_table(run, RUN_CSV_TRAFFIC, "traffic") &&
         name_table(run, RUN_CSV_ENERGY, "energy") &&
         (run->kernel->command != CLI_RUN_DECODE || name_table(run, RUN_CSV_OPERATIONS, "operations")) &&
         (!o->profile || name_table(run, RUN_CSV_PROFILE, "profile"));
}

// All that is known of the run, once its result has been compared.
static void take_numbers(run_t *run) {
  if (run->options.json == NULL && run->options.csv == NULL && !run->options.profile) {
    return;
  }
  cJSON *root = run->numbers = cJSON_CreateObject();
  json_add_amalgam(root);
  run->kernel->ops->json(run->own, root);
  cJSON *host = cJSON_GetObjectItemCaseSensitive(root, "host");
  cJSON *words = cJSON_AddArrayToObject(host, "arguments");
  for (int i = 0; i < run->words; ++i) {
    cJSON_AddItemToArray(words, cJSON_CreateString(run->word[i]));
  }
}

// --- and what is written to them --------------------------------------------------------------

static bool write_out(run_t *run, FILE *file) { return run->own->ops->write_out(run->own, file, &run->error); }
static bool write_lse(run_t *run, FILE *file) { return run->own->ops->write_lse(run->own, file, &run->error); }
static bool write_json(run_t *run, FILE *file) { return json_print(file, run->numbers, &run->error); }

// Before or after a stop: what was written until then.
static bool write_watch(run_t *run, FILE *file) {
  const option_list_t *watch = &run->options.watch;
  return blame_watch(run->own->result.soc.replay, watch->item, watch->count, file, &run->error);
}

static bool write_list(run_t *run, const char *member, FILE *file) {
  csv_write(file, cJSON_GetObjectItemCaseSensitive(run->numbers, member));
  return true;
}

static bool write_pipes(run_t *run, FILE *file) { return write_list(run, "pipes", file); }
static bool write_operations(run_t *run, FILE *file) { return write_list(run, "operations", file); }
static bool write_profile(run_t *run, FILE *file) { return write_list(run, "profile", file); }

// Traffic with memory: of all, then of each array if the kernel says that.
static bool write_traffic(run_t *run, FILE *file) {
  const cJSON *item;
  cJSON *list = cJSON_CreateArray();
  cJSON *all = json_add_row(list);
  cJSON_AddStringToObject(all, "name", "all");
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(run->numbers, "traffic")) {
    cJSON_AddItemToObject(all, item->string, cJSON_Duplicate(item, true));
  }
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(run->numbers, "arrays")) {
    cJSON_AddItemToArray(list, cJSON_Duplicate(item, true));
  }
  csv_write(file, list);
  cJSON_Delete(list);
  return true;
}

static bool write_energy(run_t *run, FILE *file) {
  csv_write(file, cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(run->numbers, "energy"), "parts"));
  return true;
}

typedef bool write_fn(run_t *run, FILE *file);

static write_fn *const writers[RUN_FILES] = {
#define RUN_FILE(NAME, path, write) write,
#include "cli/run/files.def"
#undef RUN_FILE
};

static bool write_file(run_t *run, run_file_t which) {
  if (writers[which] == NULL || file_option(run, which) == NULL) {
    return true;
  }
  FILE *file = outputs_open(&run->outputs, run->file[which], &run->error);
  return file != NULL && writers[which](run, file);
}

static bool add_file(run_t *run, run_file_t file) {
  const char *path = file_option(run, file);
  const bool simulated = writers[file] == NULL;
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

// Files of the simulation; one that was stopped early may not have written them.
static void take_written(run_t *run) {
  for (run_file_t file = 0; file < RUN_FILES; ++file) {
    if (writers[file] == NULL && run_path(run, file) != NULL) {
      outputs_written(&run->outputs, run->file[file]);
    }
  }
  dumps_written(run);
}

static bool write_files(run_t *run) {
  bool good = true;
  take_written(run);
  take_numbers(run);
  for (run_file_t file = 0; good && file < RUN_FILES; ++file) {
    good = write_file(run, file);
  }
  good = good && (run->kernel->front->write == NULL || run->kernel->front->write(run));
  return good && dump_all_commit(run, &run->error);
}

// --- the steps --------------------------------------------------------------------------------

// Keeps the records of a stopped run: they show why it stopped, or how far it got.
static base_exit_t stopped(run_t *run, base_exit_t status) {
  base_error_t error;
  if (status != BASE_BAD_INPUT) {
    take_written(run);
    base_error_t reason = run->error;
    const bool watched = run->own->result.soc.replay == NULL || write_file(run, RUN_WATCH);  // NULL: before it began
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

static bool judge_run(run_t *run) {
  progress_note(&run->progress, "comparing ...");
  return kernel_judge(run->own, &run->error);
}

static base_exit_t finish(run_t *run) {
  const bool good = judge_run(run) && retrace(run, run_path(run, RUN_TRACE), &run->error) && write_files(run);
  progress_note(&run->progress, "");
  if (!good) {
    return BASE_BAD_INPUT;
  }
  if (!run->options.quiet) {
    run->kernel->front->print(stdout, run->own);
    if (run->options.profile) {
      text_profile(stdout, cJSON_GetObjectItemCaseSensitive(run->numbers, "profile"));
    }
  }
  if (!output_printed(&run->error)) {
    return BASE_BAD_INPUT;
  }
  return kernel_verdict(run->own, &run->error);
}

static bool prepare(run_t *run) {
  const int words = run->kernel->front->words;
  return (run->options.words <= words ||
          base_fail(&run->error, "run %s: unexpected argument '%s'", run->kernel->name, run->options.word[words])) &&
         (!run->options.timing_only ||
          options_refuse(&run->options, run->kernel->command, OPTION_DATA,
                         "needs values, which --timing-only does not compute", &run->error)) &&
         add_files(run) && run->kernel->front->prepare(run);
}

// Any other status than BASE_OK ends the run; unless it is BASE_BAD_INPUT, timeline and trace are kept.
static base_exit_t compute(run_t *run) {
  kernel_run_t *own = run->own;
  progress_start(&run->progress, run->options.quiet, 0, 1);
  if (own->ops->flops != NULL) {
    soc_options_t *soc = &own->machine->soc;
    progress_start(&run->progress, run->options.quiet, own->ops->flops(own) * (uint64_t)run->options.launches.value,
                   soc->config.soc.clock_mhz);
    soc->building = progress_building(&run->progress);
    soc->progress = progress_update;
    soc->progress_context = &run->progress;
    progress_note(&run->progress, "simulating ...");
  } else {
    progress_note(&run->progress, "running ...");
  }
  const base_exit_t code = kernel_simulate(own, &run->error);
  progress_note(&run->progress, "");
  return code;
}

static void print_help(const run_kernel_t *kernel) {
  char name[32];
  snprintf(name, sizeof name, "run %s", kernel->name);
  const run_front_t *front = kernel->front;
  const manual_t manual = {.name = name,
                           .synopsis = "[options]",
                           .about = front->about,
                           .notes = front->notes != NULL ? front->notes : RUN_EXITS("result out of tolerance"),
                           .command = kernel->command,
                           .examples = front->examples,
                           .files = front->files};
  manual_print(stdout, &manual);
}

static base_exit_t begin(run_t *run) {
  if (!options_parse(&run->options, run->kernel->command, run->own_words, run->own_word, &run->error)) {
    return BASE_BAD_INPUT;
  }
  if (run->options.help) {
    print_help(run->kernel);
    return BASE_OK;
  }
  return prepare(run) ? BASE_OK : BASE_BAD_INPUT;
}

static base_exit_t complete(run_t *run) {
  const base_exit_t status = compute(run);
  return status == BASE_OK ? finish(run) : stopped(run, status);
}

static int report(run_t *run, base_exit_t code) {
  if (code != BASE_OK && host_interrupted()) {  // whatever failed for it
    code = BASE_INTERRUPTED;
    base_fail(&run->error, "interrupted");
  }
  return code == BASE_OK ? (int)BASE_OK : base_report(code, &run->error);
}

// --- one launch, or several ---------------------------------------------------------------------

static run_t *run_new(const run_kernel_t *kernel, int argc, char **argv, run_t *before) {
  run_t *run = calloc(1, sizeof *run);
  kernel_run_t *own = calloc(1, kernel->ops->run_bytes);
  if (run == NULL || own == NULL) {
    free(own);
    free(run);
    return NULL;
  }
  *run = (run_t){
      .kernel = kernel, .own = own, .word = argv, .words = argc, .own_word = argv, .own_words = argc, .before = before};
  return run;
}

void run_free(run_t *run) {
  if (run == NULL) {
    return;
  }
  outputs_discard(&run->outputs);
  cJSON_Delete(run->numbers);
  kernel_release(run->own);
  free(run->own);
  run_free(run->before);
  free(run->made);
  free(run);
}

static bool cut_words(run_t *run, size_t launch) {
  const size_t most = (size_t)run->words + 2;
  size_t own = 0, all = 0;
  char **words = run->made = calloc(2 * most, sizeof *words);
  if (words == NULL) {
    return base_fail(&run->error, "out of memory");
  }
  options_launch(run->kernel->command, launch, launch, run->words, run->word, (const char **)words, &own);
  options_launch(run->kernel->command, 0, launch, run->words, run->word, (const char **)words + most, &all);
  run->own_word = words;
  run->own_words = (int)own;
  run->word = words + most;
  run->words = (int)all;
  return true;
}

// Prepares all launches of a command line, so that nothing runs if one of them cannot. Returns the last one, or the one
// that cannot, with *code; NULL: out of memory.
static run_t *begin_all(const run_kernel_t *kernel, int argc, char **argv, bool replay, base_exit_t *code) {
  const size_t launches = options_launches(kernel->command, argc, argv);
  run_t *run = NULL;
  *code = BASE_OK;
  for (size_t i = 0; i < launches && *code == BASE_OK && (run == NULL || !run->options.help); ++i) {
    run_t *next = run_new(kernel, argc, argv, run);
    if (next == NULL) {
      run_free(run);
      return NULL;
    }
    run = next;
    run->replay = replay && i + 1 == launches;
    *code = launches == 1 || cut_words(run, i) ? begin(run) : BASE_BAD_INPUT;
  }
  return run;
}

static base_exit_t compute_all(run_t *run, base_error_t *error) {
  base_exit_t code = run->before == NULL ? BASE_OK : compute_all(run->before, error);
  if (code == BASE_OK) {
    code = compute(run);
    *error = run->error;
  }
  return code;
}

run_t *run_again(const run_kernel_t *kernel, int argc, char **argv, base_exit_t *code, base_error_t *error) {
  run_t *run = begin_all(kernel, argc, argv, true, code);
  if (run == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  if (*code != BASE_OK) {
    *error = run->error;
    run_free(run);
    return NULL;
  }
  *code = compute_all(run, error);
  return run;
}

static int complete_all(run_t *run) {
  const int code = run->before == NULL ? (int)BASE_OK : complete_all(run->before);
  return code != BASE_OK ? code : report(run, complete(run));
}

int run_main(const run_kernel_t *kernel, int argc, char **argv) {
  base_exit_t code;
  run_t *run = begin_all(kernel, argc, argv, false, &code);
  if (run == NULL) {
    return BASE_BAD_INPUT;
  }
  const int exit_code = code != BASE_OK ? report(run, code) : run->options.help ? (int)BASE_OK : complete_all(run);
  run_free(run);
  return exit_code;
}
