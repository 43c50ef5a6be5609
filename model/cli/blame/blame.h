// `amalgam blame RUN.json`: why an element of a run's result is what it is.
//
//   blame.c        the command: makes the run again, finds the element, asks model/blame
//   blame_text.c   what it prints
//   blame_json.c   the same with all terms
//   blame_csv.c    its tables
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_BLAME_BLAME_H
#define AMALGAM_CLI_BLAME_BLAME_H

#include <cJSON.h>
#include <stdio.h>

#include "base/output.h"
#include "blame/chain.h"
#include "blame/repair.h"
#include "kernel/result.h"

// argv[0] is "blame". Returns the exit code.
int blame(int argc, char **argv);

// --- internal to the folder -------------------------------------------------------------------

enum { BLAME_LINE_BYTES = 192, BLAME_WHY_BYTES = 256 };

typedef struct blame_found {
  const char *kernel;
  soc_replay_t *replay;
  const soc_buffer_t *array;
  uint64_t index;  // of the element in it
  blame_at_t at;
  double have;
  kernel_expected_t expected;  // want NULL: nobody knows
  uint64_t off, elements;      // elements that are off, of how many
  blame_chain_t chain;
  bool repaired;  // there was something to repair
  blame_repairs_t repairs;
  size_t terms;                 // shown of a sum
  char line[BLAME_LINE_BYTES];  // the one that is to blame, "" if none stands out
  char why[BLAME_WHY_BYTES];
} blame_found_t;

void blame_text(FILE *file, const blame_found_t *found);
void blame_json(const void *found, cJSON *root);

// --csv: NAME.chain.csv, a row a link; NAME.operands.csv, theirs; NAME.changes.csv.
enum { BLAME_TABLES = 3 };
bool blame_add_tables(const char *name, outputs_t *outputs, size_t table[BLAME_TABLES], base_error_t *error);
bool blame_write_tables(const blame_found_t *found, outputs_t *outputs, const size_t table[BLAME_TABLES],
                        base_error_t *error);

#endif
