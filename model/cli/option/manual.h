// A command's --help as a manual page: NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXAMPLES, EXIT STATUS,
// FILES.  Options come from options.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_OPTION_MANUAL_H
#define AMALGAM_CLI_OPTION_MANUAL_H

#include <stddef.h>
#include <stdio.h>

// Two columns.
typedef struct manual_row {
  const char *left, *right;
} manual_row_t;

typedef struct manual {
  const char *name;      // "run amla"
  const char *synopsis;  // what may follow: "[options]"
  // NAME's line is its first sentence, DESCRIPTION the rest of it; then the notes, of which
  // "exit codes: 0 done, 2 bad usage, ..." makes EXIT STATUS.  Line ends are spaces, "\n\n" parts
  // paragraphs.
  const char *about;
  const char *notes;             // or NULL
  unsigned command;              // whose options, 0: it has none
  const manual_row_t *examples;  // command line after "amalgam", what it does; {NULL, NULL} last
  const manual_row_t *files;     // or NULL; the same
} manual_t;

void manual_print(FILE *file, const manual_t *manual);

// Bytes of the first sentence of `about`, without its dot.
size_t manual_name_length(const char *about);

// The sections of a page that is not like others.
void manual_heading(FILE *file, const char *heading);
void manual_text(FILE *file, const char *text);
void manual_row(FILE *file, const char *left, const char *right, size_t length);  // of the right one's text
void manual_rows(FILE *file, const char *heading, const manual_row_t *rows);

// Exit codes of commands that do not simulate.
#define MANUAL_EXITS "exit codes: 0 done, 2 bad usage or input"

#endif
