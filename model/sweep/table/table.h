// The table of a study: a row a point, in the study's order, dropped ones too. Columns: the axes, the metrics (those
// that are expressions computed here, by SQLite), then status, error, command, result, and last, because two runs of
// one study may differ in them, attempts, seconds, peak_mb, host.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_TABLE_TABLE_H
#define AMALGAM_SWEEP_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "sweep/table/outcome.h"

typedef enum table_kind { TABLE_AXIS, TABLE_METRIC, TABLE_FACT } table_kind_t;

typedef struct table_column {
  const char *name;
  const char *unit;  // "": none
  table_kind_t kind;
  study_better_t better;
  bool numbers;  // else texts
} table_column_t;

typedef struct table {
  const outcomes_t *from;  // the caller's, which must outlive the table
  size_t rows, columns;
  table_column_t *column;
  double *metric;  // [rows][study->metrics]; NAN: none
} table_t;

enum { TABLE_TEXT_BYTES = 32, TABLE_NONE = -1 };

// Are the expressions of the study's metrics such as can be computed? Before anything is run. `store`: its folder. Each
// may use axes and the metrics before it, the functions of SQLite and windows (`min(cycles) OVER (PARTITION BY
// heads)`). All numbers are real: 7 / 2 is 3.5 where one of the two is an axis or a metric. NAME.results is the table
// of a study beside this one.
__attribute__((warn_unused_result)) bool table_check(const study_t *study, const char *store, base_error_t *error);

// Computes the expressions: over all rows that are done; of the others each row by itself, if there is no window in it
// (what depends on axes alone is known there, too). Writes `sqlite_file` (base/output.h), unless it is NULL: its table
// `results` has the columns and rows of this one.  NULL: error says why.
table_t *table_make(const outcomes_t *outcomes, const char *sqlite_file, base_error_t *error);
void table_close(table_t *table);

// The column of this name, or TABLE_NONE.
int table_find(const table_t *table, const char *name);

// A cell as results.csv has it; "": nothing is there. In `buffer`, or the outcome's own text.
const char *table_text(const table_t *table, size_t row, size_t column, char buffer[TABLE_TEXT_BYTES]);

// A cell as a number; NAN: nothing is there, or a text.
double table_number(const table_t *table, size_t row, size_t column);

// A cell's place in a plot: its number, or, on an axis of texts, the index of the value in the study.
double table_place(const table_t *table, size_t row, size_t column);

// "area [KiB]": a column's name, and its unit if that says more.
enum { TABLE_HEAD_BYTES = 128 };
const char *table_head(const table_t *table, size_t column, char head[TABLE_HEAD_BYTES]);

// The number of rows with this status.
size_t table_count(const table_t *table, outcome_status_t status);

// "done"
const char *table_status(outcome_status_t status);

// The shortest decimal that is this number; "" for NAN.
const char *table_number_text(double value, char buffer[TABLE_TEXT_BYTES]);

// Chooses a share of very many points, evenly, whatever patterns they have: is this one of them?
bool table_sampled(size_t index, double share);

// results.csv as RFC 4180 has it, but lines end in \n, and a text that spreadsheets would compute begins with '.
__attribute__((warn_unused_result)) bool table_csv(const table_t *table, const char *file, base_error_t *error);
void table_csv_print(const table_t *table, FILE *file);

// Axes and metrics in aligned columns, and the status where a point is not done; dropped ones only counted. At most so
// many rows, then how many more there are.
void table_print(const table_t *table, FILE *file, size_t most_rows);

#endif
