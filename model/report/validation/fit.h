// The fitted constants of the machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_FIT_H
#define REPORT_FIT_H

#include "report/report.h"

enum {
  REPORT_FIT_COUNT = 0
#define FIT(section, name, step, low, high) + 1
#include "report/validation/fit.def"
#undef FIT
};

typedef struct report_fit {
  const char *name;        // "soc.launch_us"
  double step, low, high;
} report_fit_t;

extern const report_fit_t report_fits[REPORT_FIT_COUNT];

// `validation --fit`: searches the constants and prints them, and what each row is predicted by the others.
bool report_fit_search(const report_context_t *context, const kernel_machine_t *chip, base_exit_t *code,
                       base_error_t *error);

#endif
