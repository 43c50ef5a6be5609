// Command lines of the testbenches: `--name VALUE` and `--flag`, in any order.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_TB_OPTIONS_H
#define AMALGAM_TB_TB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

// One option: the one pointer that is not NULL says what it takes, and where that goes.
typedef struct tb_option {
  const char *name;  // with its dashes; NULL ends a list
  uint64_t *number;  // decimal, or hexadecimal with 0x
  const char **text;
  bool *flag;  // takes nothing
} tb_option_t;

// Reads argv[first] .. argv[argc-1]; what is not given stays as it was. False if there is anything
// that the list does not know, a value is missing, or is no number where one is expected.
bool tb_options(int argc, char **argv, int first, const tb_option_t *options);

#endif  // AMALGAM_TB_TB_OPTIONS_H
