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
#include "kernel/kernel.h"

// Output files, RUN_OUT and so on.
typedef enum run_file {
#define RUN_FILE(NAME, path, write) RUN_##NAME,
#include "cli/run/files.def"
#undef RUN_FILE
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
  char csv[RUN_FILES][RUN_PATH_BYTES];  // the names of the tables of --csv
  cJSON *numbers;                       // all of the run's, NULL: nobody asked for them
  progress_t progress;
  base_error_t error;
  char **word;  // the command line from the kernel's name on, up to this launch
  int words;
  char **own_word;  // what of it is this launch's
  int own_words;
  char **made;         // of several launches: memory of both lists; to be freed
  struct run *before;  // the launch before, on whose results this one may go on; NULL: none
  kernel_run_t *own;   // the kernel's, zeros at first
  bool replay;         // its effects are wanted once more (soc/replay.h)
} run_t;

// The command line's part of a kernel.
typedef struct run_front {
  const char *about, *notes;  // of --help, as in manual.h; notes NULL: RUN_EXITS
  const manual_row_t *examples, *files;
  // Turns options into a run of the kernel. False: exit code 2, with the reason in run->error.
  bool (*prepare)(run_t *run);
  void (*print)(FILE *file, const kernel_run_t *run);
  int words;                  // that may stand beside the options
  bool (*write)(run_t *run);  // files of its own, which prepare has noted; NULL: none
} run_front_t;

struct run_kernel {
  const char *name;   // "amla"
  const char *alias;  // NULL: it has none
  unsigned command;   // CLI_RUN_AMLA
  const kernel_ops_t *ops;
  const run_front_t *front;
};

// The kernels of `amalgam run`, from kernel/kernels.def.
#define KERNEL(NAME, name, family, machine, firmware, data, alias) \
  extern const run_front_t run_##name;                             \
  extern const kernel_ops_t family##_ops;
#include "kernel/kernels.def"
#undef KERNEL

enum { RUN_KERNELS = CLI_KERNELS };
extern const run_kernel_t run_kernels[RUN_KERNELS];

// NULL: no such kernel.
const run_kernel_t *run_kernel_find(const char *name);

// one: when the exit code is 1.
#define RUN_EXITS(one)         \
  "exit codes: 0 done, 1 " one \
  ", 2 bad usage or input, 3 the model stopped the firmware, 130 interrupted (SIGTERM 143, SIGHUP 129)"

// A run that is made again, for `amalgam blame`: up to its result, and without files or text. argv[0] is the kernel's
// name, and argv outlives it. *code: of the simulation; NULL: run.error says why there is no such run.
run_t *run_again(const run_kernel_t *kernel, int argc, char **argv, base_exit_t *code, base_error_t *error);
void run_free(run_t *run);

// argv[0] is the kernel's name. Returns the exit code.
int run_main(const run_kernel_t *kernel, int argc, char **argv);

// The path to which the simulation is to write a file, NULL: not asked for.
const char *run_path(const run_t *run, run_file_t file);

#endif
