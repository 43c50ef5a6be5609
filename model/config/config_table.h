// Internal to model/config: one value of a file or of --set.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CONFIG_CONFIG_TABLE_H
#define AMALGAM_CONFIG_CONFIG_TABLE_H

#include "config/config.h"

// Parses and checks one value and stores it.  False: *config is unchanged and error says what was
// expected and what came: "expected a whole number from 1 to 256, got '3z'".
bool config_store(config_t *config, const config_param_t *param, const char *value, base_error_t *error);

#endif
