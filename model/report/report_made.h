// How a report was made: its JSON holds it as "made", the page shows it.
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_MADE_H
#define REPORT_MADE_H

#include <cJSON.h>

#include "kernel/machine.h"
#include "report/report_settings.h"

// Of the report that comes next: `amalgam report NAME` and settings->arguments.
void report_made_by(const char *name, const report_settings_t *settings);

// Its simulations' machine, as the options of a run; cores 0: all.
void report_made_on(const char *config, const report_settings_t *settings, size_t cores);

// Adds a word to a command line, quoted for a shell if need be; line holds `size` bytes.
void report_made_word(char *line, size_t size, const char *word);

// {..., "made": {"command": ..., "machine": ...}}
void report_made_json(cJSON *root);

#endif
