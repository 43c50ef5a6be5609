// Pictures by gnuplot.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_GNUPLOT_H
#define AMALGAM_BASE_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

// Runs a script; what it plots goes to the file.  False: error says why.
bool gnuplot_run(const char *script, const char *file, base_error_t *error);

// A text as a string of the script's, in quotes, on one line.
void gnuplot_text(FILE *script, const char *text);

#endif
