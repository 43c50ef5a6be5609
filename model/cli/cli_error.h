// One line about what is wrong, and the exit codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_CLI_ERROR_H
#define CLI_CLI_ERROR_H

#include <stdbool.h>

typedef enum cli_exit {
  CLI_OK = 0,
  CLI_OUT_OF_TOLERANCE = 1,
  CLI_BAD_INPUT = 2,
  CLI_STOPPED = 3,         // by the model; the numbers from here on are those of soc_status_t
  CLI_INTERRUPTED = 130,
} cli_exit_t;

enum { CLI_ERROR_BYTES = 2560 };

typedef struct cli_error {
  char text[CLI_ERROR_BYTES];
} cli_error_t;

// Writes the message, made one printable line, into *error.  Always false, to be returned.
bool cli_fail(cli_error_t *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints "amalgam: MESSAGE" on stderr.  Returns the code.
int cli_report(cli_exit_t code, const cli_error_t *error);

#endif
