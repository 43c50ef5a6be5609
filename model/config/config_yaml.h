// Internal to model/config: what libcyaml says of a file, as one line of ours.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CONFIG_CONFIG_YAML_H
#define AMALGAM_CONFIG_CONFIG_YAML_H

#include <cyaml/cyaml.h>

#include "base/error.h"

// An error from libcyaml: a message, and a backtrace from the innermost field out.
typedef struct complaint {
  char message[160];
  char inner[64], outer[64];
  unsigned line;
} config_complaint_t;

// Settings with which a file is loaded; what libcyaml has to say goes to the complaint.
cyaml_config_t config_yaml_settings(config_complaint_t *complaint);

// The error "PATH:LINE: FIELD: REASON", each part if known (line 0, field ""). Returns false.
bool config_yaml_fail(const char *path, unsigned line, const char *field, const char *reason, base_error_t *error);

// The error that loading a file has ended with; what: "config", what the file is.  Returns false.
bool config_yaml_explain(const char *path, const char *what, cyaml_err_t status, config_complaint_t *complaint,
                         base_error_t *error);

#endif
