// A table as text: results.csv, and what is printed.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/parse.h"
#include "sweep/table/table.h"

// --- CSV --------------------------------------------------------------------------------------

// Spreadsheets take a text that begins so for a formula, and compute it; they show one behind ' as it is.
static bool looks_like_formula(const char *text) {
  double value;
  return text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL && !parse_real(text, &value);
}

static void print_field(FILE *file, const char *text) {
  const char *mark = looks_like_formula(text) ? "'" : "";
  if (text[strcspn(text, ",\"\r\n")] == '\0') {
    fputs(mark, file);
    fputs(text, file);
    return;
  }
  fprintf(file, "\"%s", mark);
  for (; *text != '\0'; ++text) {
    fputs(*text == '"' ? "\"" : "", file);
    fputc(*text, file);
  }
  fputc('"', file);
}

void table_csv_print(const table_t *table, FILE *file) {
  char buffer[TABLE_TEXT_BYTES];
  for (size_t i = 0; i < table->columns; ++i) {
    fputs(i > 0 ? "," : "", file);
    print_field(file, table->column[i].name);
  }
  for (size_t row = 0; row < table->rows; ++row) {
    for (size_t i = 0; i < table->columns; ++i) {
      fputc(i > 0 ? ',' : '\n', file);
      print_field(file, table_text(table, row, i, buffer));
    }
  }
  fputc('\n', file);
}

bool table_csv(const table_t *table, const char *file, base_error_t *error) {
  outputs_t outputs = {0};
  size_t index;
  FILE *out = outputs_add(&outputs, file, &index, error) ? outputs_open(&outputs, index, error) : NULL;
  if (out == NULL) {
    outputs_discard(&outputs);
    return false;
  }
  table_csv_print(table, out);
  return outputs_commit(&outputs, error);
}

// --- for people -------------------------------------------------------------------------------

enum { CELL_BYTES = TABLE_HEAD_BYTES };

typedef struct printed {
  const table_t *table;
  FILE *file;
  size_t columns;  // the first ones, and
  bool status;     // this one
  int *width;      // [columns + 1]
} printed_t;

static int characters(const char *text) {
  int count = 0;
  for (; *text != '\0'; ++text) {
    count += ((unsigned char)*text & 0xc0) != 0x80;  // not one that goes on, in UTF-8
  }
  return count;
}

static const char *cell(const table_t *table, size_t row, size_t column, char text[CELL_BYTES]) {
  char buffer[TABLE_TEXT_BYTES];
  const double value = table_number(table, row, column);
  if (table->column[column].kind == TABLE_METRIC && !isnan(value)) {
    snprintf(text, CELL_BYTES, fabs(value) < 1e15 && value == floor(value) ? "%.0f" : "%.6g", value);
  } else {
    snprintf(text, CELL_BYTES, "%s", table_text(table, row, column, buffer));
  }
  return text;
}

static void print_cell(const printed_t *printed, size_t column, const char *text) {
  const int space = printed->width[column] - characters(text);
  if (printed->table->column[column].numbers) {
    fprintf(printed->file, "  %*s%s", space, "", text);
  } else {
    fprintf(printed->file, "  %s%*s", text, column + 1 < printed->columns || printed->status ? space : 0, "");
  }
}

static void measure(const printed_t *printed, const size_t *row, size_t rows) {
  char text[CELL_BYTES];
  for (size_t i = 0; i < printed->columns; ++i) {
    printed->width[i] = characters(table_head(printed->table, i, text));
    for (size_t k = 0; k < rows; ++k) {
      const int wide = characters(cell(printed->table, row[k], i, text));
      printed->width[i] = wide > printed->width[i] ? wide : printed->width[i];
    }
  }
}

static void print_rows(const printed_t *printed, const size_t *row, size_t rows) {
  const table_t *table = printed->table;
  char text[CELL_BYTES];
  for (size_t i = 0; i < printed->columns; ++i) {
    print_cell(printed, i, table_head(table, i, text));
  }
  fputs(printed->status ? "  status\n" : "\n", printed->file);
  for (size_t k = 0; k < rows; ++k) {
    for (size_t i = 0; i < printed->columns; ++i) {
      print_cell(printed, i, cell(table, row[k], i, text));
    }
    fprintf(printed->file, printed->status ? "  %s\n" : "\n", table_status(table->from->row[row[k]].status));
  }
}

void table_print(const table_t *table, FILE *file, size_t most_rows) {
  const study_t *study = table->from->study;
  const size_t dropped = table_count(table, OUTCOME_DROPPED), kept = table->rows - dropped;
  printed_t printed = {table, file, study->axes + study->metrics, false, calloc(table->columns, sizeof(int))};
  size_t *row = calloc(table->rows + 1, sizeof *row), rows = 0;
  if (row != NULL && printed.width != NULL) {
    for (size_t i = 0; i < table->rows && rows < most_rows; ++i) {
      row[rows] = i;
      rows += table->from->row[i].status != OUTCOME_DROPPED;
      printed.status |= table->from->row[i].status < OUTCOME_DONE || table->from->row[i].status == OUTCOME_FAILED;
    }
    measure(&printed, row, rows);
    print_rows(&printed, row, rows);
  }
  if (kept > rows) {
    fprintf(file, "  ... and %zu more\n", kept - rows);
  }
  if (dropped > 0) {
    fprintf(file, "  %zu of %zu points dropped by constraints\n", dropped, table->rows);
  }
  free(row);
  free(printed.width);
}
