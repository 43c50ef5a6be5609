// Internal to model/config: one value of a file or of --set, and names that stand for files.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CONFIG_CONFIG_TABLE_H
#define AMALGAM_CONFIG_CONFIG_TABLE_H

#include "config/config.h"

// Parses and checks one value and stores it.  False: *config is unchanged and error says what was
// expected and what came: "expected a whole number from 1 to 256, got '3z'".
bool config_store(config_t *config, const config_param_t *param, const char *value, base_error_t *error);

// One line about a NAME that is none of the files of a folder of model/config, "" or "/NAME"; what: these are.
void config_no_such_in(const char *folder, const char *what, const char *name, base_error_t *error);

// A number, of which a value says what it has to be; the same messages.
bool config_number(const char *text, bool whole, double min, double max, double *number, base_error_t *error);

#endif
