// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_OPTION_WRAP_H
#define AMALGAM_CLI_OPTION_WRAP_H

#include <stddef.h>
#include <stdio.h>

// The words of text [length] between the columns `left` and 100, one space between two, and the
// line's end.  The first line starts at `column`, where the cursor is.
void wrap_words(FILE *file, const char *text, size_t length, int left, int column);

#endif
