// The way in which a report was made: its JSON holds it as "made", the page shows it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_REPORT_MADE_H
#define AMALGAM_REPORT_REPORT_MADE_H

#include "report/report.h"

// {"command": ...}: `amalgam report NAME` and settings->arguments. NULL: no memory.
cJSON *report_made_by(const char *name, const report_settings_t *settings);

// {..., "machine": ...}: that of its simulations, as the options of a run; cores 0: all.
void report_made_on(cJSON *made, const char *config, const report_settings_t *settings, size_t cores);

// Adds a word to a command line, quoted for a shell if need be; line holds `size` bytes.
void report_made_word(char *line, size_t size, const char *word);

#endif
