// SPDX-License-Identifier: Apache-2.0
#include "sweep/table/table_sql.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "sweep/sql/sql.h"

// --- the rows ---------------------------------------------------------------------------------

// FORMAT of the name of each of the first `count` columns, with a comma between two.
static void list_columns(sqlite3_str *text, const table_t *table, size_t count, const char *format) {
  for (size_t i = 0; i < count; ++i) {
    sqlite3_str_appendall(text, i > 0 ? ", " : "");
    sqlite3_str_appendf(text, format, table->column[i].name);
  }
}

static bool run_text(sqlite3 *db, sqlite3_str *text, base_error_t *error) {
  char *statement = sqlite3_str_finish(text);
  const bool good = statement == NULL ? base_fail(error, "out of memory") : sql_run(db, statement, error);
  sqlite3_free(statement);
  return good;
}

static bool create(sqlite3 *db, const table_t *table, base_error_t *error) {
  sqlite3_str *text = sqlite3_str_new(db);
  sqlite3_str_appendall(text, "CREATE TABLE " SQL_TABLE " (");
  for (size_t i = 0; i < table->columns; ++i) {
    sqlite3_str_appendf(text, "%s\"%w\" %s", i > 0 ? ", " : "", table->column[i].name,
                        table->column[i].numbers ? "REAL" : "TEXT");
  }
  sqlite3_str_appendall(text, ")");
  return run_text(db, text, error);
}

static void bind_row(sqlite3_stmt *insert, const table_t *table, size_t row) {
  char buffer[TABLE_TEXT_BYTES];
  for (size_t i = 0; i < table->columns; ++i) {
    if (table->column[i].numbers) {
      sqlite3_bind_double(insert, (int)i + 1, table_number(table, row, i));  // of NAN this makes NULL
    } else {
      sqlite3_bind_text(insert, (int)i + 1, table_text(table, row, i, buffer), -1, SQLITE_TRANSIENT);
    }
  }
}

static bool insert_rows(sqlite3 *db, const table_t *table, base_error_t *error) {
  sqlite3_str *text = sqlite3_str_new(db);
  sqlite3_str_appendall(text, "INSERT INTO " SQL_TABLE " VALUES (");
  list_columns(text, table, table->columns, "?");
  sqlite3_str_appendall(text, ")");
  char *statement = sqlite3_str_finish(text);
  sqlite3_stmt *insert = statement == NULL ? NULL : sql_prepare(db, statement, error);
  sqlite3_free(statement);
  bool good = insert != NULL;
  for (size_t row = 0; good && row < table->rows; ++row) {
    bind_row(insert, table, row);
    good = sql_next(insert, "results.sqlite", error) == SQL_END;
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  return good;
}

// --- an expression ----------------------------------------------------------------------------

typedef struct expression {
  table_t *table;
  sqlite3 *db;
  size_t metric;  // its index
  const char *text;
  char *with;      // "WITH results AS (the rows that are done), others AS (the rest) "
  char what[512];  // file and field
} expression_t;

static void append_rows(sqlite3_str *text, const expression_t *expression, const char *name, const char *status) {
  const table_t *table = expression->table;
  sqlite3_str_appendf(text, "%s AS (SELECT rowid, ", name);
  list_columns(text, table, table->from->study->axes + expression->metric, "\"%w\"");
  sqlite3_str_appendf(text, " FROM main." SQL_TABLE " WHERE status %s 'done')", status);
}

// The columns that an expression may use: axes, and the metrics before it. NULL: no memory.
static char *with_rows(const expression_t *expression) {
  sqlite3_str *text = sqlite3_str_new(expression->db);
  sqlite3_str_appendall(text, "WITH ");
  append_rows(text, expression, SQL_TABLE, "=");
  sqlite3_str_appendall(text, ", ");
  append_rows(text, expression, "others", "<>");
  sqlite3_str_appendall(text, " ");
  return sqlite3_str_finish(text);
}

static sqlite3_stmt *select_from(const expression_t *expression, const char *select, const char *from,
                                 base_error_t *error) {
  char *before = sqlite3_mprintf("%s%s", expression->with, select);
  sqlite3_stmt *made = NULL;
  if (before == NULL) {
    base_fail(error, "%s: out of memory", expression->what);
  } else {
    made = sql_expression(expression->db, before, expression->text, from, expression->what, error);
  }
  sqlite3_free(before);
  return made;
}

// Takes the values of a select of rowid and expression into the table. rows: how many it had.
static bool take_values(const expression_t *expression, sqlite3_stmt *select, size_t *rows, base_error_t *error) {
  const size_t metrics = expression->table->from->study->metrics;
  sql_step_t step;
  for (*rows = 0; (step = sql_next(select, expression->what, error)) == SQL_ROW; ++*rows) {
    const size_t row = (size_t)sqlite3_column_int64(select, 0) - 1;
    double value;
    if (!sql_number(select, 1, expression->what, &value, error)) {
      return false;
    }
    if (row < expression->table->rows) {
      expression->table->metric[row * metrics + expression->metric] = value;
    }
  }
  return step == SQL_END;
}

// A sum without OVER makes one row of all, also of none.
static bool is_one_a_row(const expression_t *expression, base_error_t *error) {
  sqlite3_stmt *none = select_from(expression, "SELECT (", ") FROM (SELECT * FROM results WHERE 0) AS results", error);
  const sql_step_t step = none == NULL ? SQL_FAILED : sql_next(none, expression->what, error);
  sqlite3_finalize(none);
  return step == SQL_END ||
         (step == SQL_ROW && base_fail(error,
                                       "%s: expected a value for each point, got one for all of them by '%s'; "
                                       "did you mean FUNCTION(...) OVER ()?",
                                       expression->what, expression->text));
}

static bool compute_done(const expression_t *expression, base_error_t *error) {
  sqlite3_stmt *select = select_from(expression, "SELECT rowid, (", ") FROM results", error);
  size_t rows = 0;
  const bool one = sqlite3_column_count(select) == 2;  // "1), (2" and the like make it another statement
  const bool good = select != NULL && take_values(expression, select, &rows, error);
  sqlite3_finalize(select);
  return good && ((one && rows == table_count(expression->table, OUTCOME_DONE)) ||
                  base_fail(error, "%s: expected one SQL expression, got '%s'", expression->what, expression->text));
}

static bool compute_others(const expression_t *expression, base_error_t *error) {
  base_error_t windows;
  sqlite3_stmt *where = select_from(expression, "SELECT 1 FROM results WHERE (", ")", &windows);
  if (where == NULL) {
    return true;  // windows may not stand there
  }
  sqlite3_finalize(where);
  sqlite3_stmt *select = select_from(expression, "SELECT rowid, (", ") FROM others AS results", error);
  size_t rows;
  const bool good = select != NULL && take_values(expression, select, &rows, error);
  sqlite3_finalize(select);
  return good;
}

// For those that come later, and for the file.
static bool store(const expression_t *expression, base_error_t *error) {
  const table_t *table = expression->table;
  const size_t column = table->from->study->axes + expression->metric;
  char *text = sqlite3_mprintf("UPDATE " SQL_TABLE " SET \"%w\" = ? WHERE rowid = ?", table->column[column].name);
  sqlite3_stmt *update = text == NULL ? NULL : sql_prepare(expression->db, text, error);
  sqlite3_free(text);
  bool good = update != NULL;
  for (size_t row = 0; good && row < table->rows; ++row) {
    sqlite3_bind_double(update, 1, table_number(table, row, column));
    sqlite3_bind_int64(update, 2, (sqlite3_int64)row + 1);
    good = sql_next(update, "results.sqlite", error) == SQL_END;
    sqlite3_reset(update);
  }
  sqlite3_finalize(update);
  return good;
}

static bool compute(table_t *table, sqlite3 *db, size_t metric, base_error_t *error) {
  const study_t *study = table->from->study;
  expression_t expression = {.table = table, .db = db, .metric = metric, .text = study->metric[metric].expression};
  snprintf(expression.what, sizeof expression.what, "%s: metric %s: expression", study->file,
           study->metric[metric].name);
  expression.with = with_rows(&expression);
  const bool good = expression.with == NULL ? base_fail(error, "out of memory")
                                            : is_one_a_row(&expression, error) && compute_done(&expression, error) &&
                                                  compute_others(&expression, error) && store(&expression, error);
  sqlite3_free(expression.with);
  return good;
}

// --- the database -----------------------------------------------------------------------------

// Tables of studies beside this one, as these were swept last: NAME.results.
static bool attach(const table_t *table, sqlite3 *db, base_error_t *error) {
  const study_t *study = table->from->study;
  bool good = true;
  for (size_t i = 0; good && i < study->besides; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%.3000s/%.64s/results.sqlite", table->from->store, study->beside[i]);
    if (access(path, R_OK) != 0) {
      return base_fail(error, "%s: beside: %s is not there; sweep the study %s first", study->file, path,
                       study->beside[i]);
    }
    char *statement = sqlite3_mprintf("ATTACH %Q AS \"%w\"", path, study->beside[i]);
    good = statement == NULL ? base_fail(error, "out of memory") : sql_run(db, statement, error);
    sqlite3_free(statement);
  }
  return good;
}

static bool fill_database(table_t *table, sqlite3 *db, base_error_t *error) {
  const study_t *study = table->from->study;
  // The file is nobody's before it has its name: nothing to roll back to.
  bool good = sql_run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", error) && attach(table, db, error) &&
              sql_run(db, "BEGIN", error) && create(db, table, error) && insert_rows(db, table, error);
  for (size_t i = 0; good && i < study->metrics; ++i) {
    good = study->metric[i].expression == NULL || compute(table, db, i, error);
  }
  return good && sql_run(db, "COMMIT", error);
}

static bool fill_file(table_t *table, const char *file, base_error_t *error) {
  sqlite3 *db = sql_open(file, error);
  if (db == NULL) {
    return false;
  }
  const bool good = fill_database(table, db, error);
  return sqlite3_close(db) == SQLITE_OK ? good : base_fail(error, "results.sqlite: cannot be closed");
}

bool table_sql(table_t *table, const char *sqlite_file, base_error_t *error) {
  if (sqlite_file == NULL) {
    return fill_file(table, NULL, error);
  }
  outputs_t outputs = {0};
  size_t index;
  const bool good = outputs_add(&outputs, sqlite_file, &index, error) && outputs_stage(&outputs, index, error) &&
                    fill_file(table, outputs_path(&outputs, index), error);
  if (good) {
    outputs_written(&outputs, index);
    return outputs_commit(&outputs, error);
  }
  outputs_discard(&outputs);
  return false;
}
