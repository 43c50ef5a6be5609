// JSON into a stream.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_JSON_PRINT_H
#define CLI_JSON_PRINT_H

#include <cJSON.h>
#include <stdio.h>

#include "cli/cli_error.h"

// root may be NULL: there was no memory for it. A write error shows when the file is closed.
bool json_print(FILE *file, const cJSON *root, cli_error_t *error);

#endif
