// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run.h"

#include <stdlib.h>

#include "base/json.h"
#include "blame/watch.h"
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
    case RUN_WATCH:
      return o->watch.count == 0 ? NULL : o->watch_log == NULL ? "-" : o->watch_log;
    default:
      return o->trace;
  }
}

const char *run_path(const run_t *run, run_file_t file) {
  return file_option(run, file) == NULL ? NULL : outputs_path(&run->outputs, run->file[file]);
}

static bool add_file(run_t *run, run_file_t file) {
  const char *path = file_option(run, file);
  const bool simulated = file >= RUN_TIMELINE;   // it writes it
  return path == NULL || (outputs_add(&run->outputs, path, &run->file[file], &run->error) &&
                          (!simulated || outputs_stage(&run->outputs, run->file[file], &run->error)));
}

static bool add_files(run_t *run) {
  bool good = true;
  for (run_file_t file = 0; good && file < RUN_FILES; ++file) {
    good = add_file(run, file);
  }
  return good;
}

static void fill_json(const void *data, cJSON *root) {
  const run_t *run = data;
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
    return true;   // stopped before it began
  }
  FILE *file = outputs_open(&run->outputs, run->file[RUN_WATCH], &run->error);
  return file != NULL && blame_watch(soc->replay, run->options.watch.item, run->options.watch.count, file, &run->error);
}

static bool write_json(run_t *run) {
  FILE *file = outputs_open(&run->outputs, run->file[RUN_JSON], &run->error);
  return file != NULL && json_write(file, fill_json, run, &run->error);
}

// Those that the simulation has written; one that was stopped early may not have.
static void take_written(run_t *run) {
  for (run_file_t file = RUN_TIMELINE; file < RUN_FILES; ++file) {
    if (run_path(run, file) != NULL) {
      outputs_written(&run->outputs, run->file[file]);
    }
  }
}

static bool write_files(run_t *run) {
  take_written(run);
  return (file_option(run, RUN_OUT) == NULL || write_out(run)) &&
         (run->options.fp8_lse == NULL || write_lse(run)) && (run->options.watch.count == 0 || write_watch(run)) &&
         (run->options.json == NULL || write_json(run)) &&
         outputs_commit(&run->outputs, &run->error);
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
    if (!outputs_commit(&run->outputs, &error)) {
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
  const bool good = judge(run) && write_files(run);
  progress_note(&run->progress, "");
  if (!good) {
    return BASE_BAD_INPUT;
  }
  if (!run->options.quiet) {
    run->kernel->print(run);
  }
  if (!output_printed(&run->error)) {
    return BASE_BAD_INPUT;
  }
  return run->kernel->verdict == NULL ? BASE_OK : run->kernel->verdict(run);
}

static bool prepare(run_t *run) {
  return (run->options.words == 0 || base_fail(&run->error, "run %s: unexpected argument '%s'",
                                               run->kernel->name, run->options.word[0])) &&
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
  if (code != BASE_OK && host_interrupted()) {   // whatever failed for it
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
    kernel->release(run);
  }
  free(own);
  free(run);
  return code;
}
