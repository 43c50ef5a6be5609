// One line about what is wrong, and the exit codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_ERROR_H
#define AMALGAM_BASE_ERROR_H

#include <stdbool.h>

#include "host/interrupt.h"

typedef enum base_exit {
  BASE_OK = 0,
  BASE_OUT_OF_TOLERANCE = 1,
  BASE_BAD_INPUT = 2,
  BASE_STOPPED = 3,                     // by the model; the numbers from here on are those of soc_status_t
  BASE_INTERRUPTED = HOST_INTERRUPTED,  // the process ends with host_interrupt_code()
} base_exit_t;

enum { BASE_ERROR_BYTES = 2560 };

typedef struct base_error {
  char text[BASE_ERROR_BYTES];
} base_error_t;

// Writes the message, made one printable line, into *error.  Always false, to be returned.
bool base_fail(base_error_t *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints "amalgam: MESSAGE" on stderr, if anybody is there to read it.  Returns the code.
int base_report(base_exit_t code, const base_error_t *error);

#endif
