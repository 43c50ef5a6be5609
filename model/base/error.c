// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool base_fail(base_error_t *error, const char *format, ...) {
  char text[BASE_ERROR_BYTES];  // apart, because an argument may be error->text itself
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

int base_report(base_exit_t code, const base_error_t *error) {
  fflush(stdout);
  if (code == BASE_INTERRUPTED && host_interrupt_quiet()) {
    return (int)code;
  }
  fprintf(stderr, "amalgam: %s\n", error->text);
  return (int)code;
}
