// Files that somebody named, to be read more than once or from their end.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stdio.h>

#include "base/error.h"

// Opens one for reading.  NULL: error names it and says why not: it is not there, is to be written, is a
// folder, or a FIFO, at which we would wait for ever.  (A pipe that a shell has made is there already, and
// may be opened.)
FILE *input_open(const char *path, base_error_t *error);

#endif
