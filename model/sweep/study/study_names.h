// Names in a study: of axes and metrics, which are columns of a table that SQL speaks about, and of plots, which are
// files.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_STUDY_STUDY_NAMES_H
#define AMALGAM_SWEEP_STUDY_STUDY_NAMES_H

#include <stdbool.h>

#include "base/error.h"

enum { STUDY_NAME_BYTES = 48 };

// "WHERE: why not".
bool study_name_is_column(const char *name, const char *where, base_error_t *error);
bool study_name_is_file(const char *name, const char *where, base_error_t *error);

// A path in JSON: a.b[2].c
bool study_name_is_path(const char *path, const char *where, base_error_t *error);

#endif
