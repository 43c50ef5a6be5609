// Results of the reports on H-FA's approximations for a set of queries, for other reports.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_HFA_HFA_H
#define AMALGAM_REPORT_HFA_HFA_H

#include "report/hfa/queries.h"

// Table III: H-FA's error, sum of absolute errors over sum of absolute values, and the shares of it
// that go with an approximation, in %.
typedef struct report_errors {
  double error;
  double quantised, mitchell, pwl;
} report_errors_t;

bool report_errors(const report_queries_t *queries, size_t blocks, report_errors_t *errors, base_error_t *error);

// Figure 5: what Mitchell's log2(1 +- x) = +- x is given in additions, in subtractions, for mantissas
// of values, and in all of these.
enum { REPORT_INPUTS = 4 };

typedef struct report_inputs {
  const char *text;  // "additions"
  double count;
  double percent_small;  // x below 0.1
  double mean_error, max_error;
  double percent_large;  // error above 0.08
} report_inputs_t;

bool report_mitchell_inputs(const report_queries_t *queries, report_inputs_t inputs[REPORT_INPUTS],
                            base_error_t *error);

#endif
