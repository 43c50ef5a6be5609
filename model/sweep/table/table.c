// SPDX-License-Identifier: Apache-2.0
#include "sweep/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "sweep/table/table_sql.h"

enum {
  FACTS = 0
#define FACT(name, numbers) +1
#include "sweep/table/table_facts.def"
#undef FACT
};

// --- columns ----------------------------------------------------------------------------------

static bool has_numbers(const study_axis_t *axis) {
  double value;
  for (size_t i = 0; i < axis->count; ++i) {
    if (!parse_real(axis->value[i], &value)) {
      return false;
    }
  }
  return true;
}

static void make_columns(table_t *table) {
  static const table_column_t facts[FACTS] = {
#define FACT(name, numbers) {#name, "", TABLE_FACT, STUDY_NEITHER, numbers},
#include "sweep/table/table_facts.def"
#undef FACT
  };
  const study_t *study = table->from->study;
  table_column_t *at = table->column;
  for (const study_axis_t *axis = study->axis; axis < study->axis + study->axes; ++axis) {
    *at++ = (table_column_t){axis->name, "", TABLE_AXIS, STUDY_NEITHER, has_numbers(axis)};
  }
  for (const study_metric_t *metric = study->metric; metric < study->metric + study->metrics; ++metric) {
    *at++ =
        (table_column_t){metric->name, metric->unit == NULL ? "" : metric->unit, TABLE_METRIC, metric->better, true};
  }
  memcpy(at, facts, sizeof facts);
}

// --- the table --------------------------------------------------------------------------------

static void take_metrics(table_t *table) {
  const size_t metrics = table->from->study->metrics;
  for (size_t i = 0; i < table->rows * metrics; ++i) {
    table->metric[i] = table->from->row[i / metrics].metric[i % metrics];
  }
}

table_t *table_make(const outcomes_t *outcomes, const char *sqlite_file, base_error_t *error) {
  const study_t *study = outcomes->study;
  table_t *table = calloc(1, sizeof *table);
  if (table == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  table->from = outcomes;
  table->rows = outcomes->rows;
  table->columns = study->axes + study->metrics + FACTS;
  table->column = calloc(table->columns, sizeof *table->column);
  table->metric = calloc(table->rows * study->metrics + 1, sizeof *table->metric);
  bool good = table->column != NULL && table->metric != NULL;
  if (good) {
    make_columns(table);
    take_metrics(table);
    good = table_sql(table, sqlite_file, error);
  } else {
    base_fail(error, "out of memory");
  }
  if (!good) {
    table_close(table);
    table = NULL;
  }
  return table;
}

bool table_check(const study_t *study, const char *store, base_error_t *error) {
  const outcomes_t none = {.study = study, .store = store};
  table_t *table = table_make(&none, NULL, error);
  const bool good = table != NULL;
  table_close(table);
  return good;
}

void table_close(table_t *table) {
  if (table != NULL) {
    free(table->column);
    free(table->metric);
    free(table);
  }
}
