// A sweep: the points of a study, those whose results the store has, and running the others.
//
//   sweep_open   the study, its points and their names in the store, and what is there
//   sweep_look   again: what has come since, by whomever
//   sweep_run    claims and runs what is missing, here (a worker's loop; any number of them on one store)
//   sweep_write  results.sqlite, results.csv, plots, page, if they are not those of these results already
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_SWEEP_H
#define AMALGAM_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "sweep/store/store.h"
#include "sweep/study/points.h"
#include "sweep/study/study.h"
#include "sweep/table/outcome.h"

// The command line's knowledge of a run's words (word[0] is "run" or another command; NULL behind them).
typedef struct sweep_command {
  void *context;
  // Can the study's command be run, with its axes at their first values? Where it cannot for its words alone, error
  // is one line without the file's name.
  bool (*check)(void *context, const study_t *study, base_error_t *error);
  // The name of the run's result: that of all that decides it.
  void (*name)(void *context, const points_words_t *words, char name[STORE_NAME_BYTES]);
  // The value of a machine's parameter in that run, "soc.clock_mhz". False: there is none.
  bool (*parameter)(void *context, const points_words_t *words, const char *parameter, double *value);
} sweep_command_t;

typedef struct sweep_settings {
  const char *study;    // its file
  const char *store;    // the folder, "sweeps"
  const char *only;     // an SQL expression over axes: points of which it is not true are left alone; or NULL
  const char *version;  // of this program, for results
  const sweep_command_t *command;
  unsigned jobs;     // runs at a time, 0: as many as processors
  double memory_mb;  // for all of them, 0: what is free
  size_t chunk;      // runs in all, 0: as many as there are
  bool quiet;
} sweep_settings_t;

typedef struct sweep_count {
  size_t all, waiting, running, done, failed, dropped, out;  // out: left alone by --only, counted nowhere else
} sweep_count_t;

typedef struct sweep {
  sweep_settings_t settings;
  study_t *study;
  store_t store;
  arena_t arena;
  size_t points;
  char (*name)[STORE_NAME_BYTES];  // [points]; "": dropped
  bool *out;                       // [points], NULL: none
  outcomes_t outcomes;             // [points], kept up to date by look and run
  struct results *results;         // what is known of the store
} sweep_t;

// False: error says why; nothing is open.
bool sweep_open(sweep_t *sweep, const sweep_settings_t *settings, base_error_t *error);
void sweep_close(sweep_t *sweep);

// A few milliseconds if nothing has changed. Points that somebody runs are OUTCOME_RUNNING afterwards.
bool sweep_look(sweep_t *sweep, base_error_t *error);

sweep_count_t sweep_count(const sweep_t *sweep);

// Runs that failed are put aside, so that they are made once more; those that only took more than the limits allow
// stay.
bool sweep_retry_failed(sweep_t *sweep, base_error_t *error);

enum { SWEEP_TOO_LARGE = 4 };  // a worker's exit code: it has left points that need more memory than it may use

typedef enum sweep_who {
  SWEEP_ALL,     // until nothing is left, not even with others; takes over what these leave
  SWEEP_WORKER,  // until nothing is left that others do not run
} sweep_who_t;

// BASE_OK: also if points failed.  SWEEP_TOO_LARGE.  BASE_INTERRUPTED; BASE_BAD_INPUT: error says why (the store cannot
// be written).
base_exit_t sweep_run(sweep_t *sweep, sweep_who_t who, base_error_t *error);

// False: error names what could not be written; all others are.
bool sweep_write(sweep_t *sweep, base_error_t *error);

// The texts that a sweep prints.
void sweep_print_list(const sweep_t *sweep, FILE *file);      // every point, and what became of it
void sweep_print_commands(const sweep_t *sweep, FILE *file);  // of what would be run
void sweep_print_count(const sweep_t *sweep, FILE *file);     // "58 done, 2 failed ..."
void sweep_print_failures(const sweep_t *sweep, FILE *file);  // equal ones in one line
bool sweep_print_table(sweep_t *sweep, FILE *file, bool csv, base_error_t *error);

// Progress on the terminal until nothing is left or nobody works on it; runs nothing.
base_exit_t sweep_watch(sweep_t *sweep, base_error_t *error);

#endif
