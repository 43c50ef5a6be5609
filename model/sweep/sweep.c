// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.h"

#include <string.h>

#include "sweep/results.h"
#include "sweep/study/constraint.h"
#include "sweep/table/table.h"

enum { WHERE_BYTES = 512 };

// --- points -----------------------------------------------------------------------------------

static bool parameter(void *context, const points_words_t *words, const char *name, double *value) {
  const sweep_command_t *command = context;
  return command->parameter(command->context, words, name, value);
}

// The points of which these are true.
static bool select_points(const sweep_t *sweep, const char *const *expression, size_t count, const char *where,
                          bool keep[], base_error_t *error) {
  const constraints_t constraints = {.expression = expression,
                                     .count = count,
                                     .where = where,
                                     .parameter = parameter,
                                     .context = (void *)sweep->settings.command};
  memset(keep, true, sweep->points * sizeof *keep);
  return constraints_apply(&constraints, sweep->study, sweep->points, keep, error);
}

// A point without a name is dropped.
static void fill_points(sweep_t *sweep, const bool kept[]) {
  const study_t *study = sweep->study;
  const sweep_command_t *command = sweep->settings.command;
  uint32_t *value = arena_bytes(&sweep->arena, study->axes, sizeof *value);
  points_words_t words;
  points_words_make(study, &sweep->arena, &words);
  for (size_t point = 0; point < sweep->points; ++point) {
    outcome_t *row = &sweep->outcomes.row[point];
    points_values(study, point, value);
    points_words_of(study, value, &words);
    row->axis = arena_bytes(&sweep->arena, study->axes, sizeof *row->axis);
    for (size_t a = 0; a < study->axes; ++a) {
      row->axis[a] = study->axis[a].value[value[a]];
    }
    if (kept[point]) {
      command->name(command->context, &words, sweep->name[point]);
    }
    row->result = sweep->name[point];
    row->status = kept[point] ? OUTCOME_WAITING : OUTCOME_DROPPED;
    row->command = points_command(&sweep->arena, "./amalgam", &words);
    row->error = row->host = "";
  }
}

static bool make_points(sweep_t *sweep, base_error_t *error) {
  const study_t *study = sweep->study;
  const char *only = sweep->settings.only;
  char where[WHERE_BYTES];
  if (!points_count(study, &sweep->points, error)) {
    return false;
  }
  snprintf(where, sizeof where, "%.400s: constraints", study->file);
  bool *kept = arena_bytes(&sweep->arena, sweep->points, sizeof *kept);
  sweep->out = arena_bytes(&sweep->arena, sweep->points, sizeof *sweep->out);
  sweep->name = arena_bytes(&sweep->arena, sweep->points, sizeof *sweep->name);
  sweep->outcomes = (outcomes_t){.study = study,
                                 .store = sweep->store.folder,
                                 .row = arena_bytes(&sweep->arena, sweep->points, sizeof *sweep->outcomes.row),
                                 .rows = sweep->points};
  if (!select_points(sweep, &only, only == NULL ? 0 : 1, "--only", kept, error)) {
    return false;
  }
  for (size_t i = 0; i < sweep->points; ++i) {
    sweep->out[i] = !kept[i];
  }
  if (!select_points(sweep, study->constraint, study->constraints, where, kept, error)) {
    return false;
  }
  fill_points(sweep, kept);
  return true;
}

// --- opening ----------------------------------------------------------------------------------

static bool read_study(sweep_t *sweep, base_error_t *error) {
  const sweep_command_t *command = sweep->settings.command;
  base_error_t reason;
  sweep->study = study_open(sweep->settings.study, error);
  if (sweep->study == NULL || !store_is_of(&sweep->store, sweep->study->name, sweep->study->file, error) ||
      !table_check(sweep->study, sweep->store.folder, error)) {
    return false;
  }
  return command->check(command->context, sweep->study, &reason) ||
         base_fail(error, "%s: %s", sweep->study->file, reason.text);
}

bool sweep_open(sweep_t *sweep, const sweep_settings_t *settings, base_error_t *error) {
  *sweep = (sweep_t){.settings = *settings};
  bool good =
      store_open(&sweep->store, settings->store, error) && read_study(sweep, error) && make_points(sweep, error);
  if (good) {
    results_make(sweep);
    for (uint32_t i = 0; i < sweep->points; ++i) {
      sweep->outcomes.row[i].metric = sweep->results->no_metrics;
    }
    results_read_index(sweep);
    good = sweep_look(sweep, error);
  }
  if (!good) {
    sweep_close(sweep);
  }
  return good;
}

void sweep_close(sweep_t *sweep) {
  study_close(sweep->study);
  arena_free(&sweep->arena);
  sweep->study = NULL;
}

bool sweep_look(sweep_t *sweep, base_error_t *error) { return results_look(sweep, error); }

sweep_count_t sweep_count(const sweep_t *sweep) {
  sweep_count_t count = {.all = sweep->points};
  for (size_t i = 0; i < sweep->points; ++i) {
    size_t *const of[] = {[OUTCOME_WAITING] = &count.waiting,
                          [OUTCOME_RUNNING] = &count.running,
                          [OUTCOME_DONE] = &count.done,
                          [OUTCOME_FAILED] = &count.failed,
                          [OUTCOME_DROPPED] = &count.dropped};
    ++*(sweep->out[i] ? &count.out : of[sweep->outcomes.row[i].status]);
  }
  return count;
}

bool sweep_retry_failed(sweep_t *sweep, base_error_t *error) {
  bool good = true;
  for (size_t i = 0; good && i < sweep->points; ++i) {
    const bool failed = sweep->outcomes.row[i].status == OUTCOME_FAILED && sweep->results->result[i].record.failed;
    if (!sweep->out[i] && failed && sweep->results->first[i] == i) {
      good = store_put_aside(&sweep->store, sweep->name[i], error);
    }
  }
  return good && sweep_look(sweep, error);
}
