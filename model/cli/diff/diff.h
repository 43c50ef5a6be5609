// `amalgam diff A.json B.json`: what differs between two runs.
//
//   diff.c            the command: options, table, exit code
//   diff_read.c       a run's JSON, made comparable: the machine by parameter, pipes by name, options as words
//   diff_rows.c       the differences of two such documents, in order
//   diff_groups.def   which member of the JSON says what
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_DIFF_DIFF_H
#define AMALGAM_CLI_DIFF_DIFF_H

#include <cJSON.h>
#include <stddef.h>

#include "base/error.h"

// argv[0] is "diff". Returns the exit code.
int diff(int argc, char **argv);

// --- internal to the folder -------------------------------------------------------------------

typedef enum diff_group {
#define GROUP(name, heading, decides) DIFF_##name,
#define MEMBER(name)
#include "cli/diff/diff_groups.def"
#undef GROUP
#undef MEMBER
  DIFF_GROUPS
} diff_group_t;

// Reads both into documents that can be compared member by member; without what differs from host to host.
// False: error. Either way both are the caller's, NULL where there is none.
bool diff_read(const char *const file[2], cJSON *run[2], base_error_t *error);

typedef struct diff_row {
  diff_group_t group;
  char *name;             // owned: "traffic.l2_read", "cube0 M.flag"
  const cJSON *value[2];  // NULL: it is not there
  double change;          // relative to the first; of a pipe's cycles to the first run's; INFINITY: no number
} diff_row_t;

typedef struct diff_rows {
  diff_row_t *row;
  size_t count, room;
} diff_rows_t;

// All differences: by group, in each the largest first. The documents must stay.
void diff_find(cJSON *const run[2], diff_rows_t *rows);
void diff_free(diff_rows_t *rows);

#endif
