// The fitted constants of the machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_FIT_H
#define REPORT_FIT_H

#include "report/report.h"

enum {
  REPORT_FIT_COUNT = 0
#define FIT(section, name, step, low, high, sq2) + 1
#include "report/amla/fit.def"
#undef FIT
};

typedef struct report_fit {
  const char *name;        // "soc.launch_us"
  double step, low, high;
  double sq2;              // fitted to the rows of Sq = 2 alone
} report_fit_t;

extern const report_fit_t report_fits[REPORT_FIT_COUNT];

// The constants as the config has them.
void report_fit_values(const config_t *config, double value[REPORT_FIT_COUNT]);

// Other constants for a job.
void report_fit_set(report_job_t *job, const double value[REPORT_FIT_COUNT]);

// `table5 --fit`: searches the constants and prints them.
bool report_fit_search(const report_context_t *context, const kernel_machine_t *machine,
                       const report_keys_t *keys, base_exit_t *code, base_error_t *error);

#endif
