// SPDX-License-Identifier: Apache-2.0
#include "sweep/study/constraint.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "sweep/sql/sql.h"

enum { PARAMETERS_MAX = 64, WHERE_BYTES = 512 };

// The table of all points on which the expressions are evaluated.
typedef struct evaluation {
  const constraints_t *constraints;
  const study_t *study;
  arena_t arena;
  const char *parameter[PARAMETERS_MAX];
  size_t parameters;
  sqlite3 *db;
} evaluation_t;

// --- parameters that are named ----------------------------------------------------------------

static bool is_known(const evaluation_t *of, const char *name) {
  for (size_t i = 0; i < of->parameters; ++i) {
    if (strcmp(of->parameter[i], name) == 0) {
      return true;
    }
  }
  return false;
}

// Finds words in double quotes that have a dot; for other names SQLite says that there is no such column.
static void find_parameters(evaluation_t *of, const char *expression) {
  for (const char *at = expression; (at = strchr(at, '"')) != NULL; ++at) {
    const size_t length = strcspn(++at, "\"");
    if (at[length] == '\0') {
      return;
    }
    const char *name = arena_print(&of->arena, "%.*s", (int)length, at);
    if (strchr(name, '.') != NULL && !is_known(of, name) && of->parameters < PARAMETERS_MAX) {
      of->parameter[of->parameters++] = name;
    }
    at += length;
  }
}

// --- the table --------------------------------------------------------------------------------

static bool all_numbers(const study_axis_t *axis) {
  double value;
  for (size_t i = 0; i < axis->count; ++i) {
    if (!parse_real(axis->value[i], &value)) {
      return false;
    }
  }
  return true;
}

static bool create(evaluation_t *of, base_error_t *error) {
  char *text = arena_text(&of->arena, "");
  for (size_t a = 0; a < of->study->axes; ++a) {
    const study_axis_t *axis = &of->study->axis[a];
    text = arena_print(&of->arena, "%s, \"%s\" %s", text, axis->name, all_numbers(axis) ? "REAL" : "TEXT");
  }
  for (size_t i = 0; i < of->parameters; ++i) {
    text = arena_print(&of->arena, "%s, \"%s\" REAL", text, of->parameter[i]);
  }
  text = arena_print(&of->arena, "CREATE TABLE " SQL_TABLE " (point INTEGER PRIMARY KEY%s)", text);
  return sql_run(of->db, text, error);
}

static bool bind_parameters(const evaluation_t *of, sqlite3_stmt *insert, const points_words_t *words,
                            base_error_t *error) {
  const constraints_t *constraints = of->constraints;
  for (size_t i = 0; i < of->parameters; ++i) {
    double value;
    if (!constraints->parameter(constraints->context, words, of->parameter[i], &value)) {
      return base_fail(error, "%s: \"%s\" is no parameter of this command's machine", constraints->where,
                       of->parameter[i]);
    }
    sqlite3_bind_double(insert, (int)(of->study->axes + i + 1), value);
  }
  return true;
}

static bool insert_all(evaluation_t *of, size_t points, base_error_t *error) {
  const study_t *study = of->study;
  uint32_t *value = arena_bytes(&of->arena, study->axes, sizeof *value);
  points_words_t words;
  points_words_make(study, &of->arena, &words);
  char *text = arena_text(&of->arena, "NULL");
  for (size_t i = 0; i < study->axes + of->parameters; ++i) {
    text = arena_print(&of->arena, "%s, ?", text);
  }
  text = arena_print(&of->arena, "INSERT INTO " SQL_TABLE " VALUES (%s)", text);
  sqlite3_stmt *insert = sql_prepare(of->db, text, error);
  bool good = insert != NULL && sql_run(of->db, "BEGIN", error);
  for (size_t point = 0; good && point < points; ++point) {
    points_values(study, point, value);
    for (size_t a = 0; a < study->axes; ++a) {
      sqlite3_bind_text(insert, (int)a + 1, study->axis[a].value[value[a]], -1, SQLITE_STATIC);
    }
    if (of->parameters > 0) {
      points_words_of(study, value, &words);
    }
    good = bind_parameters(of, insert, &words, error) && sql_next(insert, of->constraints->where, error) == SQL_END;
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  return good && sql_run(of->db, "COMMIT", error);
}

// --- the expressions --------------------------------------------------------------------------

static bool apply(evaluation_t *of, size_t index, bool keep[], base_error_t *error) {
  char where[WHERE_BYTES];
  const constraints_t *constraints = of->constraints;
  snprintf(where, sizeof where, constraints->count > 1 ? "%.400s[%zu]" : "%.400s", constraints->where, index);
  sqlite3_stmt *statement = sql_expression(of->db, "SELECT point, (", constraints->expression[index],
                                           ") FROM " SQL_TABLE " ORDER BY point", where, error);
  if (statement == NULL) {
    return false;
  }
  sql_step_t step;
  bool good = true;
  while (good && (step = sql_next(statement, where, error)) == SQL_ROW) {
    double value;
    good = sql_number(statement, 1, where, &value, error);
    if (good && !(value < 0 || value > 0)) {
      keep[sqlite3_column_int64(statement, 0) - 1] = false;
    }
  }
  sqlite3_finalize(statement);
  return good && step == SQL_END;
}

bool constraints_apply(const constraints_t *constraints, const study_t *study, size_t points, bool keep[],
                       base_error_t *error) {
  evaluation_t of = {.constraints = constraints, .study = study};
  if (constraints->count == 0) {
    return true;
  }
  for (size_t i = 0; i < constraints->count; ++i) {
    find_parameters(&of, constraints->expression[i]);
  }
  of.db = sql_open(NULL, error);
  bool good = of.db != NULL && create(&of, error) && insert_all(&of, points, error);
  for (size_t i = 0; good && i < constraints->count; ++i) {
    good = apply(&of, i, keep, error);
  }
  sqlite3_close(of.db);
  arena_free(&of.arena);
  return good;
}
