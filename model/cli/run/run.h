// The frame of every `run KERNEL`: options and help, output files, progress, Ctrl-C, exit codes. A
// kernel fills in what is its own.
//
//   prepare -> compute -> judge -> files -> text -> verdict
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_RUN_H
#define AMALGAM_CLI_RUN_RUN_H

#include <cJSON.h>
#include <stdio.h>

#include "base/error.h"
#include "base/output.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "cli/run/progress.h"
#include "kernel/result.h"

// Output files: --out (or --logits), --json, --lse, --watch-log and those of --csv are written here, the others by what
// is simulated.
typedef enum run_file {
  RUN_OUT,
  RUN_JSON,
  RUN_LSE,
  RUN_CSV_PIPES,
  RUN_CSV_TRAFFIC,
  RUN_CSV_OPERATIONS,
  RUN_CSV_PROFILE,
  RUN_WATCH,
  RUN_TIMELINE,
  RUN_LOG,
  RUN_TRACE,
  RUN_CRITICAL_PATH,
  RUN_FILES
} run_file_t;

enum { RUN_PATH_BYTES = 4096 };

typedef struct run_kernel run_kernel_t;

// One run.
typedef struct run {
  const run_kernel_t *kernel;
  options_t options;
  outputs_t outputs;
  size_t file[RUN_FILES];               // their indices, where the options name one
  char csv[RUN_FILES][RUN_PATH_BYTES];  // their names, of those of --csv
  cJSON *numbers;                       // all of the run's, NULL: nobody asked for them
  progress_t progress;
  base_error_t error;
  char **word;  // the command line from the kernel's name on
  int words;
  void *own;    // the kernel's, own_bytes of zeros at first
  bool replay;  // its effects are wanted once more (soc/replay.h)
} run_t;

struct run_kernel {
  const char *name;   // "amla"
  unsigned command;   // CLI_RUN_AMLA
  const char *about;  // of --help, as in manual.h
  const char *notes;
  const manual_row_t *examples, *files;
  size_t own_bytes;
  // Options and inputs. False: exit code 2, with the reason in run->error, as everywhere.
  bool (*prepare)(run_t *run);
  // What is not BASE_OK ends the run; unless it is BASE_BAD_INPUT, timeline and trace are kept.
  base_exit_t (*compute)(run_t *run);
  bool (*judge)(run_t *run);                                             // compares the result; NULL: nothing to
  bool (*write_out)(const run_t *run, FILE *file, base_error_t *error);  // NULL: no --out
  bool (*write_lse)(const run_t *run, FILE *file, base_error_t *error);  // NULL: no --lse
  void (*fill_json)(const run_t *run, cJSON *root);
  void (*print)(const run_t *run);
  base_exit_t (*verdict)(run_t *run);  // BASE_OK, or exit code 1; NULL: always OK
  void (*release)(run_t *run);         // own's members
  // --- for those who ask why the result is what it is; NULL: a kernel of which nobody can ---
  const soc_result_t *(*soc)(const run_t *run);
  // What the result should have been; with golden, in FP64 if the kernel has that. False with an empty error: nobody
  // knows.
  bool (*expected)(const run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error);
};

// A run that is made again, for `amalgam blame`: up to its result, and without files or text. argv[0] is the kernel's
// name, and argv outlives it. *code: of the simulation; NULL: run.error says why there is no such run.
run_t *run_again(const run_kernel_t *kernel, int argc, char **argv, base_exit_t *code, base_error_t *error);
void run_free(run_t *run);

// argv[0] is the kernel's name. Returns the exit code.
int run_main(const run_kernel_t *kernel, int argc, char **argv);

// Where the simulation is to write a file, NULL: not asked for.
const char *run_path(const run_t *run, run_file_t file);

// Says on the progress line what is being waited for; for callbacks that have no context.
void run_building(const char *what);

#endif
