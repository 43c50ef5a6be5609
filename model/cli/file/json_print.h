// JSON into a stream.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_JSON_PRINT_H
#define CLI_JSON_PRINT_H

#include <cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/cli_error.h"

// root may be NULL: there was no memory for it. A write error shows when the file is closed.
bool json_print(FILE *file, const cJSON *root, cli_error_t *error);

// {..., name: text} from bytes that need not be UTF-8: U+FFFD stands for each that belongs to no
// character, and for 0.
void json_add_bytes(cJSON *object, const char *name, const uint8_t *bytes, size_t count);

#endif
