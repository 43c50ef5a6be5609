// The outcome of each point of a study, in the study's order.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_TABLE_OUTCOME_H
#define AMALGAM_SWEEP_TABLE_OUTCOME_H

#include <stddef.h>

#include "sweep/study/study.h"

typedef enum outcome_status {
  OUTCOME_WAITING,
  OUTCOME_RUNNING,
  OUTCOME_DONE,
  OUTCOME_FAILED,
  OUTCOME_DROPPED  // by a constraint
} outcome_status_t;

typedef struct outcome {
  outcome_status_t status;
  const char *result;       // its name in the store, or ""
  const char *command;      // as one would type it
  const char *error;        // one line, or ""
  const char *host;         // or ""
  double seconds, peak_mb;  // of the last attempt
  unsigned attempts;
  const char **axis;  // [study->axes], texts
  double *metric;     // [study->metrics], in the study's order; NAN where there is none, as for an expression
} outcome_t;

typedef struct outcomes {
  const study_t *study;
  const char *store;  // the folder; tables of studies beside this one are in it
  outcome_t *row;
  size_t rows;
} outcomes_t;

#endif
