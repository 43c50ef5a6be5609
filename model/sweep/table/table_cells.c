// The names of a table's columns, and its cells.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/table/table.h"

enum {
#define FACT(name, numbers) FACT_##name,
#include "sweep/table/table_facts.def"
#undef FACT
  FACTS
};

int table_find(const table_t *table, const char *name) {
  for (size_t i = 0; i < table->columns; ++i) {
    if (strcmp(table->column[i].name, name) == 0) {
      return (int)i;
    }
  }
  return TABLE_NONE;
}

const char *table_head(const table_t *table, size_t column, char head[TABLE_HEAD_BYTES]) {
  const table_column_t *is = &table->column[column];
  const bool says = is->unit[0] != '\0' && strcmp(is->unit, is->name) != 0;
  snprintf(head, TABLE_HEAD_BYTES, "%s%s%s%s", is->name, says ? " [" : "", says ? is->unit : "", says ? "]" : "");
  return head;
}

size_t table_count(const table_t *table, outcome_status_t status) {
  size_t count = 0;
  for (size_t row = 0; row < table->rows; ++row) {
    count += table->from->row[row].status == status;
  }
  return count;
}

const char *table_status(outcome_status_t status) {
  static const char *const names[] = {[OUTCOME_WAITING] = "waiting",
                                      [OUTCOME_RUNNING] = "running",
                                      [OUTCOME_DONE] = "done",
                                      [OUTCOME_FAILED] = "failed",
                                      [OUTCOME_DROPPED] = "dropped"};
  return names[status];
}

// Multiples of the golden ratio leave no gaps, and repeat with no period.
bool table_sampled(size_t index, double share) { return fmod((double)index * 0.6180339887498949, 1.0) < share; }

// --- cells ------------------------------------------------------------------------------------

const char *table_number_text(double value, char buffer[TABLE_TEXT_BYTES]) {
  buffer[0] = '\0';
  for (int digits = 15; digits <= 17 && !isnan(value); ++digits) {
    snprintf(buffer, TABLE_TEXT_BYTES, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) {
      break;
    }
  }
  return buffer;
}

static double fact_number(const outcome_t *outcome, size_t fact) {
  switch (fact) {
    case FACT_attempts:
      return outcome->attempts > 0 ? (double)outcome->attempts : (double)NAN;
    case FACT_seconds:
      return outcome->attempts > 0 ? outcome->seconds : NAN;
    case FACT_peak_mb:
      return outcome->attempts > 0 ? outcome->peak_mb : NAN;
    default:
      return NAN;
  }
}

static const char *fact_text(const outcome_t *outcome, size_t fact, char *buffer) {
  switch (fact) {
    case FACT_status:
      return table_status(outcome->status);
    case FACT_error:
      return outcome->error;
    case FACT_command:
      return outcome->command;
    case FACT_result:
      return outcome->result;
    case FACT_host:
      return outcome->host;
    default:
      return table_number_text(fact_number(outcome, fact), buffer);
  }
}

const char *table_text(const table_t *table, size_t row, size_t column, char buffer[TABLE_TEXT_BYTES]) {
  const study_t *study = table->from->study;
  const outcome_t *outcome = &table->from->row[row];
  switch (table->column[column].kind) {
    case TABLE_AXIS:
      return outcome->axis[column];
    case TABLE_METRIC:
      return table_number_text(table_number(table, row, column), buffer);
    default:
      return fact_text(outcome, column - study->axes - study->metrics, buffer);
  }
}

double table_number(const table_t *table, size_t row, size_t column) {
  const study_t *study = table->from->study;
  const outcome_t *outcome = &table->from->row[row];
  switch (table->column[column].kind) {
    case TABLE_AXIS:
      return table->column[column].numbers ? strtod(outcome->axis[column], NULL) : NAN;
    case TABLE_METRIC:
      return table->metric[row * study->metrics + column - study->axes];
    default:
      return fact_number(outcome, column - study->axes - study->metrics);
  }
}

double table_place(const table_t *table, size_t row, size_t column) {
  const study_t *study = table->from->study;
  if (column >= study->axes || table->column[column].numbers) {
    return table_number(table, row, column);
  }
  const study_axis_t *axis = &study->axis[column];
  for (size_t i = 0; i < axis->count; ++i) {
    if (strcmp(axis->value[i], table->from->row[row].axis[column]) == 0) {
      return (double)i;
    }
  }
  return NAN;
}
