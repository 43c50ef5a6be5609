// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/run/run.h"

enum { NAMES_MAX = 512 };

static bool is(const char *word, const char *name) { return strcmp(word, name) == 0; }

// --- the command ------------------------------------------------------------------------------

unsigned sweep_words_command(const points_words_t *words) {
  if (words->words >= 2 && is(words->word[0], "run")) {
    const run_kernel_t *kernel = run_kernel_find(words->word[1]);
    return kernel != NULL ? kernel->command : 0;
  }
  return words->words >= 1 && is(words->word[0], "synth") ? CLI_SYNTH : 0;
}

static bool refuse_command(const points_words_t *words, base_error_t *error) {
  char hint[64];
  const char *names[RUN_KERNELS];
  for (size_t i = 0; i < RUN_KERNELS; ++i) {
    names[i] = run_kernels[i].name;
  }
  if (words->words >= 2 && is(words->word[0], "run")) {
    return base_fail(error, "run %s: no such kernel%s", words->word[1],
                     suggest_text(words->word[1], names, RUN_KERNELS, "", hint, sizeof hint));
  }
  return base_fail(error, "command: expected 'run KERNEL ...' or 'synth ...', got '%s'", words->word[0]);
}

bool sweep_words_parse(const points_words_t *words, options_t *options, base_error_t *error) {
  const unsigned command = sweep_words_command(words);
  if (command == 0) {
    return refuse_command(words, error);
  }
  // getopt puts words without an option behind the others.
  const int before = command == CLI_SYNTH ? 0 : 1;
  char **word = calloc((size_t)words->words + 1, sizeof *word);
  if (word == NULL) {
    return base_fail(error, "out of memory");
  }
  memcpy(word, words->word + before, (size_t)(words->words - before) * sizeof *word);
  bool good = options_parse(options, command, words->words - before, word, error);
  if (good && options->words > 0) {
    good = base_fail(error, "unexpected argument '%s'", options->word[0]);
  }
  free(word);
  options->word = NULL;
  return good && (!options->help || base_fail(error, "--help: nothing to sweep"));
}

const option_row_t *sweep_words_option(unsigned command, const char *name) {
  for (size_t i = 0; i < option_row_count; ++i) {
    if (option_rows[i].name != NULL && (option_rows[i].commands & command) != 0 && is(option_rows[i].name, name)) {
      return &option_rows[i];
    }
  }
  return NULL;
}

// --- may a sweep run it? ----------------------------------------------------------------------

// Is it an option for a file that all points would write, or that waits for somebody?
static bool is_refused(const option_row_t *row) {
  return (row->commands & OPTION_OUTPUT) != 0 && row->type != OPTION_TYPE_flag && row->type != OPTION_TYPE_choice;
}

static bool refuse(const char *where, const char *name, base_error_t *error) {
  return base_fail(error,
                   "%s: --%s: all points would write the same file, or wait for somebody; a sweep keeps their JSON",
                   where, name);
}

static bool writes_nothing(unsigned command, const options_t *options, base_error_t *error) {
  for (size_t i = 0; i < option_row_count; ++i) {
    const option_row_t *row = &option_rows[i];
    if (row->name != NULL && (row->commands & command) != 0 && is_refused(row) &&
        option_is_given(row, options, command)) {
      return refuse("command", row->name, error);
    }
  }
  return true;
}

static bool no_such_option(const char *where, unsigned command, const char *name, base_error_t *error) {
  const char *names[NAMES_MAX];
  char hint[80];
  size_t count = 0;
  for (size_t i = 0; i < option_row_count && count < NAMES_MAX; ++i) {
    if (option_rows[i].name != NULL && (option_rows[i].commands & command) != 0) {
      names[count++] = option_rows[i].name;
    }
  }
  return base_fail(error, "%s: the command has no option --%s%s", where, name,
                   suggest_text(name, names, count, "--", hint, sizeof hint));
}

// An option without a value is there or not, one with a value has one.
static bool values_fit(const char *where, const option_row_t *row, const study_axis_t *axis, base_error_t *error) {
  const bool flag = row->type == OPTION_TYPE_flag;
  for (size_t i = 0; i < axis->count; ++i) {
    if ((is(axis->value[i], POINTS_WITH) || is(axis->value[i], POINTS_WITHOUT)) != flag) {
      return flag ? base_fail(error, "%s: --%s takes no value; expected the values [without, with], got '%s'", where,
                              row->name, axis->value[i])
                  : base_fail(error, "%s: --%s: expected values, got '%s', which is for options without", where,
                              row->name, axis->value[i]);
    }
  }
  return true;
}

static bool axis_fits(const study_axis_t *axis, size_t index, unsigned command, base_error_t *error) {
  char where[80];
  snprintf(where, sizeof where, "axes[%zu] (%.50s)", index, axis->name);
  if (axis->set != NULL) {
    return sweep_words_option(command, "set") != NULL ||
           base_fail(error, "%s: the command has no machine to set %s of", where, axis->set);
  }
  if (axis->option == NULL) {
    return true;
  }
  const option_row_t *row = sweep_words_option(command, axis->option + 2);
  return row == NULL       ? no_such_option(where, command, axis->option + 2, error)
         : is_refused(row) ? refuse(where, row->name, error)
                           : values_fit(where, row, axis, error);
}

static bool words_fit(const points_words_t *words, base_error_t *error) {
  options_t *options = malloc(sizeof *options);
  const bool good = (options != NULL || base_fail(error, "out of memory")) &&
                    sweep_words_parse(words, options, error) &&
                    writes_nothing(sweep_words_command(words), options, error);
  free(options);
  return good;
}

// With the first value of each axis; axes first, so that an option that is unknown is said to be the axis's.
bool sweep_words_check(const study_t *study, base_error_t *error) {
  arena_t arena = {NULL};
  points_words_t words;
  points_words_make(study, &arena, &words);
  uint32_t *value = arena_bytes(&arena, study->axes, sizeof *value);
  points_words_of(study, value, &words);
  const unsigned command = sweep_words_command(&words);
  bool good = true;
  for (size_t a = 0; good && command != 0 && a < study->axes; ++a) {
    good = axis_fits(&study->axis[a], a, command, error);
  }
  good = good && words_fit(&words, error);
  arena_free(&arena);
  return good;
}
