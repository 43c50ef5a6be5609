// SPDX-License-Identifier: Apache-2.0
#include "sweep/study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/parse.h"
#include "sweep/study/study_file.h"
#include "sweep/study/study_names.h"

enum { BESIDES_MAX = 4, VALUES_MAX = 100000, WORDS_MAX = 256, WHERE_BYTES = 512 };

// A study and what it is made of; the study is its first member.
typedef struct opened {
  study_t study;
  study_file_t *file;
  arena_t arena;
} opened_t;

// --- the command ------------------------------------------------------------------------------

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// The next word at *at, quotes taken off, into `word`; false: a quote does not end.
static bool next_word(const char **at, char *word) {
  char quote = '\0';
  for (; **at != '\0' && (quote != '\0' || !is_space(**at)); ++*at) {
    if (quote == '\0' && (**at == '\'' || **at == '"')) {
      quote = **at;
    } else if (**at == quote) {
      quote = '\0';
    } else {
      *word++ = **at;
    }
  }
  *word = '\0';
  return quote == '\0';
}

static bool split_command(opened_t *own, base_error_t *error) {
  study_t *study = &own->study;
  const char *at = own->file->command;
  study->command = arena_bytes(&own->arena, WORDS_MAX, sizeof *study->command);
  while (is_space(*at)) {
    ++at;
  }
  while (*at != '\0') {
    char *word = arena_bytes(&own->arena, strlen(at) + 1, 1);
    if (study->words == WORDS_MAX) {
      return base_fail(error, "%s: command: more than %d words", study->file, WORDS_MAX);
    }
    if (!next_word(&at, word)) {
      return base_fail(error, "%s: command: a quote does not end", study->file);
    }
    study->command[study->words++] = word;
    while (is_space(*at)) {
      ++at;
    }
  }
  return study->words > 0 ||
         base_fail(error, "%s: command: expected one such as 'run amla --timing-only'", study->file);
}

// --- an axis's values -------------------------------------------------------------------------

static bool read_number(const char *text, const char *where, const char *what, double *value, base_error_t *error) {
  return parse_real(text, value) ||
         base_fail(error, "%s.%s: expected a number, got '%s'%s", where, what, text, parse_hint(text));
}

static bool make_range(opened_t *own, const file_range_t *range, const char *where, study_axis_t *axis,
                       base_error_t *error) {
  double from, to, step = 1;
  if (!read_number(range->from, where, "from", &from, error) || !read_number(range->to, where, "to", &to, error) ||
      (range->step != NULL && !read_number(range->step, where, "step", &step, error))) {
    return false;
  }
  const double count = step > 0 ? floor((to - from) / step + 1e-9) + 1 : 0;
  if (!(count >= 1 && count <= VALUES_MAX)) {
    return base_fail(error, "%s: expected from <= to and a step above 0, at most %d values, got %s to %s by %s", where,
                     VALUES_MAX, range->from, range->to, range->step == NULL ? "1" : range->step);
  }
  axis->value = arena_bytes(&own->arena, (size_t)count, sizeof *axis->value);
  while ((double)axis->count < count) {
    const double value = from + (double)axis->count * step;
    axis->value[axis->count++] = arena_print(&own->arena, "%.12g", fabs(value) < step * 1e-9 ? 0.0 : value);
  }
  return true;
}

static bool is_power(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

static bool make_powers(opened_t *own, const file_range_t *range, const char *where, study_axis_t *axis,
                        base_error_t *error) {
  uint64_t from, to;
  if (range->step != NULL) {
    return base_fail(error, "%s.step: powers of two have none", where);
  }
  if (!parse_count(range->from, &from) || !parse_count(range->to, &to) || !is_power(from) || !is_power(to) ||
      from > to) {
    return base_fail(error, "%s: expected powers of two, from <= to, got %s to %s", where, range->from, range->to);
  }
  axis->value = arena_bytes(&own->arena, 64, sizeof *axis->value);
  for (uint64_t value = from; value != 0 && value <= to; value *= 2) {
    axis->value[axis->count++] = arena_print(&own->arena, "%llu", (unsigned long long)value);
  }
  return true;
}

static bool take_values(const file_axis_t *file, const char *where, study_axis_t *axis, base_error_t *error) {
  axis->value = (const char **)file->values;
  axis->count = file->values_count;
  if (axis->count == 0 || axis->count > VALUES_MAX) {
    return base_fail(error, "%s.values: expected 1 to %d values, got %zu", where, VALUES_MAX, axis->count);
  }
  for (size_t i = 0; i < axis->count; ++i) {
    if (axis->value[i] == NULL || axis->value[i][0] == '\0') {
      return base_fail(error, "%s.values[%zu]: empty; expected a value", where, i);
    }
  }
  return true;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static bool values_differ(const study_axis_t *axis, const char *where, base_error_t *error) {
  const char **sorted = malloc(axis->count * sizeof *sorted);
  bool good = sorted != NULL || base_fail(error, "out of memory");
  if (good) {
    memcpy(sorted, axis->value, axis->count * sizeof *sorted);
    qsort(sorted, axis->count, sizeof *sorted, by_text);
  }
  for (size_t i = 1; good && i < axis->count; ++i) {
    good = strcmp(sorted[i - 1], sorted[i]) != 0 || base_fail(error, "%s: value '%s' given twice", where, sorted[i]);
  }
  free(sorted);
  return good;
}

static bool make_values(opened_t *own, const file_axis_t *file, const char *where, study_axis_t *axis,
                        base_error_t *error) {
  char inner[WHERE_BYTES + 8];
  if ((file->values != NULL) + (file->range != NULL) + (file->powers != NULL) != 1) {
    return base_fail(error, "%s: expected one of values, range and powers", where);
  }
  snprintf(inner, sizeof inner, "%s.%s", where, file->range != NULL ? "range" : "powers");
  const bool good = file->values != NULL  ? take_values(file, where, axis, error)
                    : file->range != NULL ? make_range(own, file->range, inner, axis, error)
                                          : make_powers(own, file->powers, inner, axis, error);
  return good && values_differ(axis, where, error);
}

// --- axes -------------------------------------------------------------------------------------

static bool make_word(const study_t *study, const char *text, const char *where, study_axis_t *axis,
                      base_error_t *error) {
  uint64_t word;
  if (!parse_count(text, &word) || word < 1 || word >= study->words) {
    return base_fail(error, "%s.word: expected 1 to %zu, a word of the command behind '%s', got '%s'", where,
                     study->words - 1, study->command[0], text);
  }
  axis->word = (unsigned)word;
  return true;
}

static bool make_axis(opened_t *own, const file_axis_t *file, size_t index, base_error_t *error) {
  char where[WHERE_BYTES], inner[WHERE_BYTES + 8];
  study_axis_t *axis = &own->study.axis[index];
  snprintf(where, sizeof where, "%.400s: axes[%zu]", own->study.file, index);
  snprintf(inner, sizeof inner, "%s.name", where);
  *axis = (study_axis_t){.name = file->name, .option = file->option, .set = file->set};
  if (!study_name_is_column(file->name, inner, error)) {
    return false;
  }
  if ((file->option != NULL) + (file->set != NULL) + (file->word != NULL) != 1) {
    return base_fail(error, "%s: expected one of option, set and word", where);
  }
  if (file->option != NULL && (strncmp(file->option, "--", 2) != 0 || strpbrk(file->option, "= ") != NULL)) {
    return base_fail(error, "%s.option: expected an option such as --heads, got '%s'", where, file->option);
  }
  if (file->set != NULL && (strchr(file->set, '.') == NULL || strpbrk(file->set, "= ") != NULL)) {
    return base_fail(error, "%s.set: expected a machine's parameter such as gm.l2_latency_us, got '%s'", where,
                     file->set);
  }
  return (file->word == NULL || make_word(&own->study, file->word, where, axis, error)) &&
         make_values(own, file, where, axis, error);
}

static bool make_axes(opened_t *own, base_error_t *error) {
  study_t *study = &own->study;
  study->axes = own->file->axes_count;
  study->axis = arena_bytes(&own->arena, study->axes, sizeof *study->axis);
  bool good = true;
  for (size_t i = 0; good && i < study->axes; ++i) {
    good = make_axis(own, &own->file->axes[i], i, error);
  }
  return good;
}

// --- metrics ----------------------------------------------------------------------------------

static bool make_metric(opened_t *own, const file_metric_t *file, size_t index, base_error_t *error) {
  char where[WHERE_BYTES], inner[WHERE_BYTES + 8];
  const int better = file->better == NULL ? -1 : parse_choice(file->better, "min|max");
  snprintf(where, sizeof where, "%.400s: metrics[%zu]", own->study.file, index);
  snprintf(inner, sizeof inner, "%s.name", where);
  if (!study_name_is_column(file->name, inner, error)) {
    return false;
  }
  if ((file->json != NULL) == (file->expression != NULL)) {
    return base_fail(error, "%s: expected one of json and expression", where);
  }
  if (file->better != NULL && better < 0) {
    return base_fail(error, "%s.better: expected min or max, got '%s'", where, file->better);
  }
  snprintf(inner, sizeof inner, "%s.json", where);
  own->study.metric[index] = (study_metric_t){.name = file->name,
                                              .json = file->json,
                                              .expression = file->expression,
                                              .unit = file->unit,
                                              .better = file->better == NULL ? STUDY_NEITHER
                                                        : better == 0        ? STUDY_MIN
                                                                             : STUDY_MAX};
  return file->json == NULL || study_name_is_path(file->json, inner, error);
}

static bool make_metrics(opened_t *own, base_error_t *error) {
  study_t *study = &own->study;
  study->metrics = own->file->metrics_count;
  study->metric = arena_bytes(&own->arena, study->metrics, sizeof *study->metric);
  bool good = study->metrics > 0 || base_fail(error, "%s: metrics: expected one at least", study->file);
  for (size_t i = 0; good && i < study->metrics; ++i) {
    good = make_metric(own, &own->file->metrics[i], i, error);
  }
  return good;
}

static const char *column(const study_t *study, size_t index) {
  return index < study->axes ? study->axis[index].name : study->metric[index - study->axes].name;
}

// The number of axes and metrics of this name before `end`.
static size_t named(const study_t *study, const char *name, size_t end) {
  size_t count = 0;
  for (size_t i = 0; i < end; ++i) {
    count += strcasecmp(column(study, i), name) == 0;
  }
  return count;
}

static bool names_differ(const study_t *study, base_error_t *error) {
  for (size_t i = 0; i < study->axes + study->metrics; ++i) {
    if (named(study, column(study, i), i) > 0) {
      return base_fail(error, "%s: the name '%s' is given twice", study->file, column(study, i));
    }
  }
  return true;
}

// --- plots ------------------------------------------------------------------------------------

static bool find_column(const study_t *study, const char *name, const char *where, const char *field,
                        base_error_t *error) {
  for (size_t i = 0; i < study->axes + study->metrics; ++i) {
    if (strcmp(column(study, i), name) == 0) {
      return true;
    }
  }
  return base_fail(error, "%s.%s: expected the name of an axis or a metric, got '%s'", where, field, name);
}

static bool read_log(const file_plot_t *file, const char *where, study_plot_t *plot, base_error_t *error) {
  for (size_t i = 0; i < file->log_count; ++i) {
    const int which = parse_choice(file->log[i], "x|y");
    if (which < 0) {
      return base_fail(error, "%s.log: expected x or y, got '%s'", where, file->log[i]);
    }
    *(which == 0 ? &plot->log_x : &plot->log_y) = true;
  }
  return true;
}

static bool make_plot(opened_t *own, const file_plot_t *file, size_t index, base_error_t *error) {
  char where[WHERE_BYTES], inner[WHERE_BYTES + 8];
  const study_t *study = &own->study;
  const int kind = parse_choice(file->kind, "pareto|heat|lines");
  snprintf(where, sizeof where, "%.400s: plots[%zu]", study->file, index);
  snprintf(inner, sizeof inner, "%s.name", where);
  if (!study_name_is_file(file->name, inner, error)) {
    return false;
  }
  for (size_t i = 0; i < index; ++i) {
    if (strcasecmp(study->plot[i].name, file->name) == 0) {
      return base_fail(error, "%s: '%s' given twice", inner, file->name);
    }
  }
  if (kind < 0) {
    return base_fail(error, "%s.kind: expected pareto, heat or lines, got '%s'", where, file->kind);
  }
  if ((file->value != NULL) != (kind == STUDY_HEAT)) {
    return base_fail(error, "%s.value: %s", where,
                     file->value == NULL ? "missing; a heat map has one" : "only a heat map has one");
  }
  if (file->series != NULL && kind == STUDY_HEAT) {
    return base_fail(error, "%s.series: a heat map has none", where);
  }
  study_plot_t *plot = &own->study.plot[index];
  *plot = (study_plot_t){.name = file->name,
                         .title = file->title,
                         .x = file->x,
                         .y = file->y,
                         .value = file->value,
                         .series = file->series,
                         .kind = (study_plot_kind_t)kind};
  return find_column(study, file->x, where, "x", error) && find_column(study, file->y, where, "y", error) &&
         (file->value == NULL || find_column(study, file->value, where, "value", error)) &&
         (file->series == NULL || find_column(study, file->series, where, "series", error)) &&
         read_log(file, where, plot, error);
}

static bool make_plots(opened_t *own, base_error_t *error) {
  own->study.plot = arena_bytes(&own->arena, own->file->plots_count, sizeof *own->study.plot);
  bool good = true;
  for (size_t i = 0; good && i < own->file->plots_count; ++i) {
    good = make_plot(own, &own->file->plots[i], i, error);
    own->study.plots += good;
  }
  return good;
}

// --- the rest ---------------------------------------------------------------------------------

static bool read_limit(const study_t *study, const char *text, const char *name, double *value, base_error_t *error) {
  return text == NULL || (parse_real(text, value) && *value > 0) ||
         base_fail(error, "%s: limits.%s: expected a number above 0, got '%s'%s", study->file, name, text,
                   parse_hint(text));
}

static bool read_limits(opened_t *own, base_error_t *error) {
  study_t *study = &own->study;
  const file_limits_t *limits = own->file->limits;
  return limits == NULL || (read_limit(study, limits->seconds, "seconds", &study->seconds, error) &&
                            read_limit(study, limits->memory_mb, "memory_mb", &study->memory_mb, error));
}

// The file's name without folder and .yaml.
static bool name_study(opened_t *own, base_error_t *error) {
  study_t *study = &own->study;
  const char *slash = strrchr(study->file, '/');
  char *name = arena_text(&own->arena, slash == NULL ? study->file : slash + 1);
  char *dot = strrchr(name, '.');
  if (dot != NULL && dot != name) {
    *dot = '\0';
  }
  char where[WHERE_BYTES];
  snprintf(where, sizeof where, "%.400s: the file's name", study->file);
  study->name = name;
  return study_name_is_file(name, where, error) &&
         (strcmp(name, "store") != 0 ||
          base_fail(error, "%s: a study cannot be named store, which is a folder beside it", study->file));
}

static bool check_besides(const study_t *study, base_error_t *error) {
  char where[WHERE_BYTES];
  bool good = study->besides <= BESIDES_MAX || base_fail(error, "%s: beside: %zu studies; expected at most %d",
                                                         study->file, study->besides, BESIDES_MAX);
  for (size_t i = 0; good && i < study->besides; ++i) {
    snprintf(where, sizeof where, "%.400s: beside[%zu]", study->file, i);
    good = study_name_is_column(study->beside[i], where, error) &&
           (strcmp(study->beside[i], study->name) != 0 || base_fail(error, "%s: this study; expected another", where));
    for (size_t j = 0; good && j < i; ++j) {
      good = strcmp(study->beside[i], study->beside[j]) != 0 || base_fail(error, "%s: given twice", where);
    }
  }
  return good;
}

static bool make(opened_t *own, base_error_t *error) {
  study_t *study = &own->study;
  study->question = own->file->question;
  study->constraint = (const char **)own->file->constraints;
  study->constraints = own->file->constraints_count;
  study->beside = (const char **)own->file->beside;
  study->besides = own->file->beside_count;
  return name_study(own, error) && check_besides(study, error) && split_command(own, error) && make_axes(own, error) &&
         make_metrics(own, error) && names_differ(study, error) && make_plots(own, error) && read_limits(own, error);
}

study_t *study_open(const char *file, base_error_t *error) {
  opened_t *own = calloc(1, sizeof *own);
  if (own == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  own->study.file = arena_text(&own->arena, file);
  own->file = study_file_read(file, error);
  if (own->file == NULL || !make(own, error)) {
    study_close(&own->study);
    return NULL;
  }
  return &own->study;
}

void study_close(study_t *study) {
  opened_t *own = (opened_t *)study;
  if (own != NULL) {
    study_file_free(own->file);
    arena_free(&own->arena);
    free(own);
  }
}
