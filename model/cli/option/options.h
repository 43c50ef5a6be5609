// Options of the command line, generated from options.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_OPTION_OPTIONS_H
#define AMALGAM_CLI_OPTION_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

// Commands, as bits: who has which option.
#define CLI_RUN_BASE (1u << 0)
#define CLI_RUN_AMLA (1u << 1)
#define CLI_RUN (CLI_RUN_BASE | CLI_RUN_AMLA)
#define CLI_RUN_FP8 (1u << 2)
#define CLI_RUN_W4A16 (1u << 3)
#define CLI_RUN_GEMM (1u << 4)
#define CLI_RUN_GEMMS (CLI_RUN_W4A16 | CLI_RUN_GEMM)
#define CLI_RUN_FLASH (1u << 14)
#define CLI_RUN_SOC (CLI_RUN | CLI_RUN_FP8 | CLI_RUN_GEMMS | CLI_RUN_FLASH)
#define CLI_RUN_HFA (1u << 5)
#define CLI_RUN_FA2 (1u << 6)
#define CLI_RUN_EXPMUL (1u << 24)
#define CLI_RUN_ENGINE (CLI_RUN_HFA | CLI_RUN_FA2 | CLI_RUN_EXPMUL)
#define CLI_RUN_LM (1u << 7)
#define CLI_RUN_CUSTOM (1u << 13)
#define CLI_RUN_DECODE (1u << 15)
#define CLI_REPORT (1u << 8)
#define CLI_BENCH (1u << 9)
#define CLI_SYNTH (1u << 10)
#define CLI_CONVERT (1u << 11)
#define CLI_EXPLAIN (1u << 12)
#define CLI_SWEEP (1u << 18)
#define CLI_DIFF (1u << 16)
#define CLI_LIST (1u << 17)
#define CLI_BLAME (1u << 22)

// Marks, among the commands of an option.
#define OPTION_OUTPUT (1u << 30)  // what is written, said, checked or watched: not what is run
#define OPTION_VALUES (1u << 31)  // about values, which change no cycle
#define OPTION_WORDS (1u << 29)   // no mark: for options_keep, what is no option

enum { OPTION_LIST_MAX = 64 };

typedef const char *option_text_t;  // NULL: not given
typedef struct {
  bool given;
  uint64_t value;
} option_count_t;
typedef struct {
  bool given;
  double value;
  const char *text;
} option_real_t;
typedef struct {
  bool given;
  int value;
} option_choice_t;
typedef bool option_flag_t;
typedef struct {
  size_t count;
  const char *item[OPTION_LIST_MAX];
} option_list_t;

typedef struct options {
#define GROUP(title)
#define OPTION(field, long_name, type, arg, commands, initial, min, max, help) option_##type##_t field;
#include "cli/option/options.def"
#undef GROUP
#undef OPTION
  int words;  // arguments that are no options
  char **word;
  bool help;
} options_t;

// Parses what follows the command's name; argv[0] is that name.  Strings point into argv.
bool options_parse(options_t *options, unsigned command, int argc, char **argv, base_error_t *error);

// The words of argv but for options with one of these marks, for running a command again, options first;
// with OPTION_WORDS options alone. kept has room for argc; *count: how many. Reorders argv as options_parse does.
bool options_keep(unsigned command, unsigned dropped, int argc, char **argv, const char **kept, size_t *count,
                  base_error_t *error);

// A size given on the command line must be the one that the file `path` has.
bool option_agrees(const char *name, const option_count_t *given, size_t have, const char *path, base_error_t *error);

static inline size_t option_count_or(const option_count_t *count, size_t usual) {
  return count->given ? (size_t)count->value : usual;
}

// The options of a command, for --help.
void options_help(FILE *file, unsigned command);

// Internal: the table behind both.
typedef enum option_type {
  OPTION_TYPE_text,
  OPTION_TYPE_list,
  OPTION_TYPE_count,
  OPTION_TYPE_real,
  OPTION_TYPE_choice,
  OPTION_TYPE_flag
} option_type_t;

typedef struct option_row {
  const char *group;  // of a row that only starts a group
  const char *name;
  option_type_t type;
  const char *argument;
  unsigned commands;
  const char *initial;
  double min, max;
  const char *help;
  size_t offset;  // in options_t
} option_row_t;

extern const option_row_t option_rows[];
extern const size_t option_row_count;

#endif
