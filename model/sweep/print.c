// The texts of a sweep.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "sweep/progress.h"
#include "sweep/table/table.h"

enum { MOST_ROWS = 60 };

static bool is_shown(const sweep_t *sweep, size_t point) {
  return !sweep->out[point] && sweep->outcomes.row[point].status != OUTCOME_DROPPED;
}

// For each axis as many columns as its longest value takes.
static int *widths(const sweep_t *sweep) {
  const study_t *study = sweep->study;
  int *width = calloc(study->axes + 1, sizeof *width);
  for (size_t a = 0; width != NULL && a < study->axes; ++a) {
    for (size_t i = 0; i < study->axis[a].count; ++i) {
      const int length = (int)strlen(study->axis[a].value[i]);
      width[a] = length > width[a] ? length : width[a];
    }
  }
  return width;
}

void sweep_print_list(const sweep_t *sweep, FILE *file) {
  const study_t *study = sweep->study;
  int *width = widths(sweep);
  for (size_t i = 0; width != NULL && i < sweep->points; ++i) {
    const outcome_t *row = &sweep->outcomes.row[i];
    if (!is_shown(sweep, i)) {
      continue;
    }
    fprintf(file, "%-8s", table_status(row->status));
    for (size_t a = 0; a < study->axes; ++a) {
      fprintf(file, "  %s=%-*s", study->axis[a].name, width[a], row->axis[a]);
    }
    fprintf(file, "  %s%s%s\n", row->result, row->error[0] == '\0' ? "" : "  ", row->error);
  }
  free(width);
}

void sweep_print_commands(const sweep_t *sweep, FILE *file) {
  for (size_t i = 0; i < sweep->points; ++i) {
    if (!sweep->out[i] && sweep->outcomes.row[i].status == OUTCOME_WAITING) {
      fprintf(file, "%s\n", sweep->outcomes.row[i].command);
    }
  }
}

void sweep_print_count(const sweep_t *sweep, FILE *file) {
  char text[160];
  const sweep_count_t count = sweep_count(sweep);
  sweep_progress_text(&count, 0, text, sizeof text);
  fprintf(file, "%s: %s", sweep->study->name, text);
  if (count.dropped > 0) {
    fprintf(file, ", %zu dropped by constraints", count.dropped);
  }
  if (count.out > 0) {
    fprintf(file, ", %zu left alone by --only", count.out);
  }
  fprintf(file, "\n");
}

// --- failures ---------------------------------------------------------------------------------

static int by_error(const void *a, const void *b) {
  const outcome_t *const *x = a, *const *y = b;
  const int order = strcmp((*x)->error, (*y)->error);
  return order != 0 ? order : *x < *y ? -1 : *x > *y;
}

// Equal errors, and the first point that has it.
static void print_group(const sweep_t *sweep, FILE *file, const outcome_t *first, size_t count) {
  fprintf(file, "failed, %zu point%s: %s\n  as of", count, count == 1 ? "" : "s",
          first->error[0] == '\0' ? "no reason was given" : first->error);
  for (size_t a = 0; a < sweep->study->axes; ++a) {
    fprintf(file, " %s=%s", sweep->study->axis[a].name, first->axis[a]);
  }
  char path[STORE_PATH_BYTES];
  store_result_path(&sweep->store, first->result, "log", path);
  fprintf(file, "; its log: %s\n", path);
}

void sweep_print_failures(const sweep_t *sweep, FILE *file) {
  const outcome_t **failed = calloc(sweep->points + 1, sizeof *failed);
  size_t count = 0;
  for (size_t i = 0; failed != NULL && i < sweep->points; ++i) {
    if (is_shown(sweep, i) && sweep->outcomes.row[i].status == OUTCOME_FAILED) {
      failed[count++] = &sweep->outcomes.row[i];
    }
  }
  if (count > 0) {
    qsort(failed, count, sizeof *failed, by_error);
  }
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && strcmp(failed[i]->error, failed[end]->error) == 0;) {
      ++end;
    }
    print_group(sweep, file, failed[i], end - i);
  }
  free(failed);
}

bool sweep_print_table(sweep_t *sweep, FILE *file, bool csv, base_error_t *error) {
  table_t *table = table_make(&sweep->outcomes, NULL, error);
  if (table == NULL) {
    return false;
  }
  if (csv) {
    table_csv_print(table, file);
  } else {
    table_print(table, file, MOST_ROWS);
  }
  table_close(table);
  return true;
}
