// The points of a study for which all its SQL expressions are true. They speak of axes, and of parameters of the
// point's machine in double quotes: "soc.clock_mhz".
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STUDY_CONSTRAINT_H
#define AMALGAM_SWEEP_STUDY_CONSTRAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sweep/study/points.h"

// The value of a machine's parameter at a point. False: there is none.
typedef bool constraint_parameter_fn(void *context, const points_words_t *words, const char *parameter, double *value);

typedef struct constraints {
  const char *const *expression;
  size_t count;
  const char *where;  // for errors: "FILE: constraints", or "--only"
  constraint_parameter_fn *parameter;
  void *context;
} constraints_t;

// keep [points]: false for each point that one of them is not true of.  False: error says which cannot be computed.
bool constraints_apply(const constraints_t *constraints, const study_t *study, size_t points, bool keep[],
                       base_error_t *error);

#endif
