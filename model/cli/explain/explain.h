// `amalgam explain RUN.json`: why a run took the time it took.
//
//   explain.c         the command: reads the run, prints
//   explain_runs.c    the same run again, as it was and with one resource at half its cost
//   resources.def     the resources
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_EXPLAIN_EXPLAIN_H
#define AMALGAM_CLI_EXPLAIN_EXPLAIN_H

#include <cJSON.h>

#include "base/error.h"
#include "config/config.h"

// argv[0] is "explain". Returns the exit code.
int explain(int argc, char **argv);

// --- for those who make a run again -------------------------------------------------------------------

enum { EXPLAIN_WORDS_MAX = 192, EXPLAIN_TRIES_MAX = 32 };

// The worth of a resource.
typedef struct explain_try {
  const char *name, *text;
  char changes[2048];  // words for `amalgam run`
  uint64_t cycles;     // 0: that run is not possible
} explain_try_t;

typedef struct explain_run {
  const char *file;  // RUN.json
  const char *kernel;
  cJSON *root;  // of the file
  config_t config;
  // After `amalgam run KERNEL`, without its outputs; and without what is about values.
  const char *word[2][EXPLAIN_WORDS_MAX];
  size_t words[2];
  uint64_t cycles;
  cJSON *path;  // as critical_path.h writes it
  explain_try_t list[EXPLAIN_TRIES_MAX];
  size_t tries;
} explain_run_t;

// Reads run->file: the config, the words, the cycles. The root is to be deleted in any case.
bool explain_open(explain_run_t *run, bool allow_native, base_error_t *error);

// Fills path and list. Runs are processes of their own, two at a time; of what the run wrote they write nothing.
// False: error.
bool explain_runs(explain_run_t *run, bool quiet, base_error_t *error);

#endif
