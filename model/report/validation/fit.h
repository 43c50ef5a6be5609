// The search of the machine's fitted constants, which fit.def lists.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_VALIDATION_FIT_H
#define AMALGAM_REPORT_VALIDATION_FIT_H

#include "report/report.h"

// `validation --fit`: searches the constants and prints them, and what each row is predicted by the others.
bool report_fit_search(const report_context_t *context, const kernel_machine_t *chip, base_exit_t *code,
                       base_error_t *error);

#endif
