// Tables of a run's JSON as comma-separated values (RFC 4180, lines end in LF), for spreadsheets and data frames.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_TEXT_CSV_H
#define AMALGAM_CLI_TEXT_CSV_H

#include <cJSON.h>
#include <stdio.h>

// A row for each object of the list. Columns are the members of all objects, in the order in which they first come. An
// object among them gives its members, as stall.flag. Members that a row lacks, and null, are empty. list may be NULL.
void csv_write(FILE *file, const cJSON *list);

#endif
