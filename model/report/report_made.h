// How a report was made: its JSON holds it as "made", the page shows it.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_MADE_H
#define REPORT_MADE_H

#include <cJSON.h>

#include "cli/option/options.h"

// Of the report that comes next: `amalgam report NAME` and the options it was given, as they stand
// in argv before options->word.
void report_made_by(const char *name, const options_t *options, int argc, char **argv);

// Its simulations' machine, in words as of a command line ("--config", "ascend910", ...).
void report_made_on(const char *const *word, size_t count);

// {..., "made": {"command": ..., "machine": ...}}
void report_made_json(cJSON *root);

#endif
