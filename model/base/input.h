// Files that somebody named, to be read.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_INPUT_H
#define AMALGAM_BASE_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

// False: error names it and says why it is not to be opened: it is to be written, is a folder, or a FIFO, at which
// we would wait for ever.  (A pipe that a shell has made is there already, and may be opened.)
bool input_check(const char *path, base_error_t *error);

// Opens one that is there, after this check.  NULL: error says why not.
FILE *input_open(const char *path, base_error_t *error);

#endif
