// Options of the command line, generated from options.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_OPTION_OPTIONS_H
#define AMALGAM_CLI_OPTION_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

// Commands, as bits: who has which option. Each kernel has one.
enum {
#define KERNEL(NAME, name, family, machine, firmware, data, alias) CLI_KERNEL_##NAME,
#include "kernel/kernels.def"
#undef KERNEL
  CLI_KERNELS,
  CLI_COMMANDS = CLI_KERNELS
};
enum {
#define KERNEL(NAME, name, family, machine, firmware, data, alias) CLI_RUN_##NAME = 1 << CLI_KERNEL_##NAME,
#include "kernel/kernels.def"
#undef KERNEL
  CLI_REPORT = 1 << CLI_COMMANDS,
  CLI_BENCH = CLI_REPORT << 1,
  CLI_SYNTH = CLI_REPORT << 2,
  CLI_CONVERT = CLI_REPORT << 3,
  CLI_EXPLAIN = CLI_REPORT << 4,
  CLI_SWEEP = CLI_REPORT << 5,
  CLI_DIFF = CLI_REPORT << 6,
  CLI_LIST = CLI_REPORT << 7,
  CLI_BLAME = CLI_REPORT << 8,
  CLI_RUN = CLI_RUN_AMLA | CLI_RUN_BASE,
  CLI_RUN_GEMMS = CLI_RUN_W4A16 | CLI_RUN_W8A8 | CLI_RUN_GEMM,
  CLI_RUN_SOC = CLI_RUN | CLI_RUN_FP8 | CLI_RUN_GEMMS | CLI_RUN_FLASH,
  CLI_RUN_ENGINE = CLI_RUN_HFA | CLI_RUN_FA2 | CLI_RUN_EXPMUL,
};

// Marks, among the commands of an option.
#define OPTION_OUTPUT (1u << 30)  // what is written, said, checked or watched: not what is run
#define OPTION_VALUES (1u << 31)  // about values, which change no cycle
#define OPTION_DATA (1u << 28)    // asks for values, or is data to compute them from: --timing-only refuses it
#define OPTION_LAUNCH (1u << 27)  // of one of several launches (--then), as are outputs that take a value
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

// Launches of a command line: one more than it has options --then; 1 if options_parse refuses it.
size_t options_launches(unsigned command, int argc, char **argv);

// The words of launches first to last, argv[0] among them, as one command line: their own options, the common ones of
// all launches, and at last what the first of them launches. kept has room for argc + 2.
void options_launch(unsigned command, size_t first, size_t last, int argc, char **argv, const char **kept,
                    size_t *count);

// Refuses an option with that mark, if one was given: "--NAME: WHY". A choice of none asks for nothing.
bool options_refuse(const options_t *options, unsigned command, unsigned mark, const char *why, base_error_t *error);

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
extern const char option_kernel_machine[];  // the default of a row: the kernel's machine

const char *option_initial(const option_row_t *row, unsigned command);

// Was it on the command line? Of a number with a default that is not known: no.
bool option_is_given(const option_row_t *row, const options_t *options, unsigned command);
extern const size_t option_row_count;

#endif
