// SPDX-License-Identifier: Apache-2.0
#include "cli/option/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "kernel/ascend/ascend.h"
#include "kernels/flash/flash_args.h"

// The words of options.def.
enum {
#define KERNEL(NAME, name, family, machine, firmware, data, alias) NAME = CLI_RUN_##NAME,
#include "kernel/kernels.def"
#undef KERNEL
  RUN = CLI_RUN,
  HALF = CLI_RUN_GEMMS,
  SOC = CLI_RUN_SOC,
  OWN = CLI_RUN_CUSTOM | CLI_RUN_ASCEND,
  ENGINE = CLI_RUN_ENGINE,
  REPORT = CLI_REPORT,
  BENCH = CLI_BENCH,
  SYNTH = CLI_SYNTH,
  CONVERT = CLI_CONVERT,
  EXPLAIN = CLI_EXPLAIN,
  SWEEP = CLI_SWEEP,
  DIFF = CLI_DIFF,
  BLAME = CLI_BLAME
};
#define OUTPUT OPTION_OUTPUT
#define VALUES OPTION_VALUES
#define DATA OPTION_DATA
#define LAUNCH OPTION_LAUNCH
const char option_kernel_machine[] = "";
#define MACHINE option_kernel_machine
const option_row_t option_rows[] = {
#define GROUP(title) {.group = (title)},
#define OPTION(field, long_name, kind, arg, where, start, low, high, text) \
  {.name = (long_name),                                                    \
   .type = OPTION_TYPE_##kind,                                             \
   .argument = (arg),                                                      \
   .commands = (where),                                                    \
   .initial = (start),                                                     \
   .min = (low),                                                           \
   .max = (high),                                                          \
   .help = (text),                                                         \
   .offset = offsetof(options_t, field)},
#include "cli/option/options.def"
#undef GROUP
#undef OPTION
};
const size_t option_row_count = sizeof option_rows / sizeof *option_rows;

enum { MAX_ROWS = sizeof option_rows / sizeof *option_rows, HELP = 0x1000, REFUSED, FIRST_ROW = 0x2000 };

// --- values -----------------------------------------------------------------------------------

static bool store_count(const option_row_t *row, option_count_t *count, const char *text, base_error_t *error) {
  if (!parse_count(text, &count->value) || (double)count->value < row->min || (double)count->value > row->max) {
    return row->max < 1e18 ? base_fail(error, "--%s: expected a whole number from %.0f to %.0f, got '%s'%s", row->name,
                                       row->min, row->max, text, parse_hint(text))
                           : base_fail(error, "--%s: expected a whole number from %.0f, got '%s'%s", row->name,
                                       row->min, text, parse_hint(text));
  }
  count->given = true;
  return true;
}

static bool store_real(const option_row_t *row, option_real_t *real, const char *text, base_error_t *error) {
  if (!parse_real(text, &real->value) || real->value < row->min || real->value > row->max) {
    return base_fail(error, "--%s: expected a number from %g to %g, got '%s'%s", row->name, row->min, row->max, text,
                     parse_hint(text));
  }
  real->text = text;
  real->given = true;
  return true;
}

static bool store_choice(const option_row_t *row, option_choice_t *choice, const char *text, base_error_t *error) {
  // NUMERICS.md and compilers say f16.
  choice->value = parse_choice(strcmp(text, "f16") == 0 ? "fp16" : text, row->argument);
  choice->given = true;
  return choice->value >= 0 || base_fail(error, "--%s: expected %s, got '%s'", row->name, row->argument, text);
}

static bool store_list(const option_row_t *row, option_list_t *list, const char *text, base_error_t *error) {
  if (list->count == OPTION_LIST_MAX) {
    return base_fail(error, "--%s: given more than %d times", row->name, OPTION_LIST_MAX);
  }
  list->item[list->count++] = text;
  return true;
}

static bool store(options_t *options, const option_row_t *row, const char *text, base_error_t *error) {
  void *field = (char *)options + row->offset;
  switch (row->type) {
    case OPTION_TYPE_flag:
      *(option_flag_t *)field = true;
      return true;
    case OPTION_TYPE_text:
      *(option_text_t *)field = text;
      return true;
    case OPTION_TYPE_count:
      return store_count(row, field, text, error);
    case OPTION_TYPE_real:
      return store_real(row, field, text, error);
    case OPTION_TYPE_choice:
      return store_choice(row, field, text, error);
    case OPTION_TYPE_list:
      return store_list(row, field, text, error);
  }
  return false;
}

// --- parsing ----------------------------------------------------------------------------------

static bool exists(const option_row_t *row, unsigned command) { return (row->commands & command) != 0; }

static void build_table(unsigned command, struct option table[MAX_ROWS + 2]) {
  size_t used = 0;
  table[used++] = (struct option){"help", no_argument, NULL, HELP};
  for (size_t i = 0; i < option_row_count; ++i) {
    const option_row_t *row = &option_rows[i];
    if (exists(row, command)) {
      table[used++] = (struct option){row->name, row->type == OPTION_TYPE_flag ? no_argument : required_argument, NULL,
                                      FIRST_ROW + (int)i};
    }
  }
  table[used] = (struct option){0};
}

// Why getopt_long refused a long option: it was cut short, had a value too many, or is unknown.
static bool refuse_long(const char *typed, const struct option *table, base_error_t *error) {
  char name[64];
  const char *words[MAX_ROWS + 1];
  size_t count = 0;
  const char *first = NULL;
  const char *second = NULL;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
  for (const struct option *entry = table; entry->name != NULL; ++entry) {
    words[count++] = entry->name;
    if (strcmp(entry->name, name) == 0) {
      return base_fail(error, "--%s: takes no value", name);
    }
    if (strncmp(entry->name, name, strlen(name)) == 0) {
      second = first == NULL ? NULL : entry->name;
      first = first == NULL ? entry->name : first;
    }
  }
  if (second != NULL) {
    return base_fail(error, "--%s: may be --%s or --%s", name, first, second);
  }
  char hint[80];
  return base_fail(error, "--%s: unknown option%s", name, suggest_text(name, words, count, "--", hint, sizeof hint));
}

static bool refuse(int code, char **argv, const struct option *table, base_error_t *error) {
  const char *typed = argv[optind - 1];
  if (code == ':') {
    return base_fail(error, "%s: needs a value", typed);
  }
  if (strncmp(typed, "--", 2) == 0) {
    return refuse_long(typed, table, error);
  }
  return base_fail(error, "-%c: unknown option", optopt);
}

static const char *machine_of(unsigned command) {
  static const struct {
    unsigned command;
    const char *machine;
  } list[] = {
#define KERNEL(NAME, name, family, machine, firmware, data, alias) {CLI_RUN_##NAME, machine},
#include "kernel/kernels.def"
#undef KERNEL
  };
  for (size_t i = 0; i < CLI_KERNELS; ++i) {
    if (list[i].command == command) {
      return list[i].machine;
    }
  }
  return NULL;
}

const char *option_initial(const option_row_t *row, unsigned command) {
  return row->initial == option_kernel_machine ? machine_of(command) : row->initial;
}

static bool set_defaults(options_t *options, unsigned command, base_error_t *error) {
  for (size_t i = 0; i < option_row_count; ++i) {
    const option_row_t *row = &option_rows[i];
    const char *initial = option_initial(row, command);
    if (exists(row, command) && initial != NULL && !store(options, row, initial, error)) {
      return false;
    }
  }
  return true;
}

// The number of an option without a value, by its name, for getopt_long; 0: this command has none.
static int code_of(const struct option *table, const char *name) {
  while (table->name != NULL && strcmp(table->name, name) != 0) {
    ++table;
  }
  return table->name == NULL ? 0 : table->val;
}

// The next option's row from FIRST_ROW on, or HELP, or REFUSED; -1: there is none.
static int next_option(int argc, char **argv, const struct option *table, base_error_t *error) {
  const bool compiles = code_of(table, "define") != 0;
  const int code = getopt_long(argc, argv,
                               compiles                       ? ":hqI:D:"
                               : code_of(table, "quiet") != 0 ? ":hq"
                                                              : ":h",
                               table, NULL);
  if (code == 'q' || code == 'I' || code == 'D') {
    return code_of(table, code == 'q' ? "quiet" : code == 'I' ? "include" : "define");
  }
  if (code == -1 || code == 'h' || code >= HELP) {
    return code == 'h' ? HELP : code;
  }
  refuse(code, argv, table, error);
  return REFUSED;
}

bool options_parse(options_t *options, unsigned command, int argc, char **argv, base_error_t *error) {
  struct option table[MAX_ROWS + 2];
  build_table(command, table);
  memset(options, 0, sizeof *options);
  if (!set_defaults(options, command, error)) {
    return false;
  }
  opterr = 0;
  optind = 1;
  for (int code; (code = next_option(argc, argv, table, error)) != -1;) {
    if (code == HELP) {
      options->help = true;
    } else if (code == REFUSED || !store(options, &option_rows[code - FIRST_ROW], optarg, error)) {
      return false;
    }
  }
  options->words = argc - optind;
  options->word = argv + optind;
  return true;
}

// The option that was just read, and its value.
static void keep_option(char **argv, const char **kept, size_t *count) {
  if (optarg == argv[optind - 1]) {  // not --name=value
    kept[(*count)++] = argv[optind - 2];
  }
  kept[(*count)++] = argv[optind - 1];
}

bool options_keep(unsigned command, unsigned dropped, int argc, char **argv, const char **kept, size_t *count,
                  base_error_t *error) {
  struct option table[MAX_ROWS + 2];
  build_table(command, table);
  *count = 0;
  opterr = 0;
  optind = 1;
  for (int code; (code = next_option(argc, argv, table, error)) != -1;) {
    if (code == REFUSED) {
      return false;
    }
    if (code == HELP || (option_rows[code - FIRST_ROW].commands & dropped) != 0) {
      continue;
    }
    keep_option(argv, kept, count);
  }
  for (int i = optind; i < argc && (dropped & OPTION_WORDS) == 0; ++i) {
    kept[(*count)++] = argv[i];
  }
  return true;
}

// --- several launches -------------------------------------------------------------------------

static bool is_then(int code) { return code >= FIRST_ROW && strcmp(option_rows[code - FIRST_ROW].name, "then") == 0; }

size_t options_launches(unsigned command, int argc, char **argv) {
  struct option table[MAX_ROWS + 2];
  base_error_t error;
  size_t launches = 1;
  char **copy = calloc((size_t)argc + 1, sizeof *copy);  // what is refused stays where it is, to be told
  if (copy == NULL) {
    return 1;
  }
  memcpy(copy, argv, (size_t)argc * sizeof *copy);
  build_table(command, table);
  opterr = 0;
  optind = 1;
  for (int code; launches > 0 && (code = next_option(argc, copy, table, &error)) != -1;) {
    launches = code == REFUSED ? 0 : launches + is_then(code);
  }
  free(copy);
  return launches > 0 ? launches : 1;
}

// Is it about all launches? Of outputs flags are.
static bool is_common(int code) {
  const option_row_t *row = code < FIRST_ROW ? NULL : &option_rows[code - FIRST_ROW];
  return row == NULL || ((row->commands & OPTION_LAUNCH) == 0 &&
                         ((row->commands & OPTION_OUTPUT) == 0 || row->type == OPTION_TYPE_flag));
}

void options_launch(unsigned command, size_t first, size_t last, int argc, char **argv, const char **kept,
                    size_t *count) {
  struct option table[MAX_ROWS + 2];
  base_error_t error;
  size_t at = 0;
  const char *launched = NULL;
  build_table(command, table);
  opterr = 0;
  optind = 1;
  *count = 0;
  kept[(*count)++] = argv[0];
  for (int code; (code = next_option(argc, argv, table, &error)) != -1;) {
    at += is_then(code);
    if (is_then(code) && at == first) {
      launched = optarg;
    } else if ((at >= first && at <= last) || is_common(code)) {
      keep_option(argv, kept, count);
    }
  }
  if (first > 0) {
    kept[(*count)++] = launched;
  }
  for (int i = optind; i < argc && first == 0; ++i) {
    kept[(*count)++] = argv[i];
  }
}

static bool is_chosen(const option_row_t *row, const option_choice_t *choice) {
  return choice->given && (row->initial == NULL || choice->value != parse_choice(row->initial, row->argument)) &&
         choice->value != parse_choice("none", row->argument);
}

bool option_is_given(const option_row_t *row, const options_t *options, unsigned command) {
  const void *field = (const char *)options + row->offset;
  switch (row->type) {
    case OPTION_TYPE_flag:
      return *(const option_flag_t *)field;
    case OPTION_TYPE_text:
      return *(const option_text_t *)field != option_initial(row, command);
    case OPTION_TYPE_list:
      return ((const option_list_t *)field)->count > 0;
    case OPTION_TYPE_count:
      return row->initial == NULL && ((const option_count_t *)field)->given;
    case OPTION_TYPE_real:
      return row->initial == NULL && ((const option_real_t *)field)->given;
    case OPTION_TYPE_choice:
      return is_chosen(row, field);
  }
  return false;
}

bool options_refuse(const options_t *options, unsigned command, unsigned mark, const char *why, base_error_t *error) {
  for (size_t i = 0; i < option_row_count; ++i) {
    const option_row_t *row = &option_rows[i];
    if (exists(row, command) && (row->commands & mark) != 0 && option_is_given(row, options, command)) {
      return base_fail(error, "--%s: %s", row->name, why);
    }
  }
  return true;
}

bool option_agrees(const char *name, const option_count_t *given, size_t have, const char *path, base_error_t *error) {
  return !given->given || given->value == have ||
         base_fail(error, "--%s %llu: %s has %zu", name, (unsigned long long)given->value, path, have);
}
