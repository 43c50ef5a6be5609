// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_error.h"

#include <stdarg.h>
#include <stdio.h>

bool cli_fail(cli_error_t *error, const char *format, ...) {
  char text[CLI_ERROR_BYTES];   // apart, because an argument may be error->text itself
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t i = 0;
  for (; text[i] != '\0'; ++i) {
    const unsigned char c = (unsigned char)text[i];
    error->text[i] = c < ' ' || c == 0x7f ? '?' : text[i];
  }
  error->text[i] = '\0';
  return false;
}

int cli_report(cli_exit_t code, const cli_error_t *error) {
  fflush(stdout);
  fprintf(stderr, "amalgam: %s\n", error->text);
  return (int)code;
}
