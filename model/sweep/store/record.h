// The contents of a result; of the run's own numbers only those that a study measures.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STORE_RECORD_H
#define AMALGAM_SWEEP_STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "sweep/study/study.h"

typedef struct record {
  bool failed;
  int exit;  // of the run; 128 + the signal that ended it
  unsigned attempts;
  double seconds, peak_mb;
  double limit_seconds, limit_mb;  // the study's limit that has ended it; 0: that was something else
  const char *error, *host;        // "": none
  double *metric;                  // [study->metrics]; NAN: none
} record_t;

// A point.json; texts and metrics are in the arena. False: it is none.
bool record_read(const char *path, const study_t *study, arena_t *arena, record_t *record);

// The text of a point.json, to be freed. `run`: what the run printed as JSON, "": nothing.
typedef struct record_facts {
  const char *command, *version;
} record_facts_t;
char *record_write(const record_t *record, const record_facts_t *facts, const char *run);

// Reads that text as record_read would read the file.
bool record_parse(const char *text, const study_t *study, arena_t *arena, record_t *record);

#endif
