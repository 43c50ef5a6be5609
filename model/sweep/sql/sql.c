// SPDX-License-Identifier: Apache-2.0
#include "sweep/sql/sql.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "host/interrupt.h"

enum {
  LONGEST = 1 << 24,  // bytes of a text or a row
  WATCHED = 1 << 20,  // SQLite's own steps between two looks at
  LOOKS = 2000,       // how many there may be: some ten seconds
};

// --- the database -----------------------------------------------------------------------------

static bool sql_said(sqlite3 *db, const char *what, base_error_t *error) {
  return base_fail(error, "%s: %s", what, sqlite3_errmsg(db));
}

sqlite3 *sql_open(const char *file, base_error_t *error) {
  sqlite3 *db = NULL;
  const char *name = file == NULL ? ":memory:" : file;
  if (sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK) {
    sql_said(db, name, error);
    sqlite3_close(db);
    return NULL;
  }
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST);
  return db;
}

bool sql_run(sqlite3 *db, const char *statements, base_error_t *error) {
  return sqlite3_exec(db, statements, NULL, NULL, NULL) == SQLITE_OK || sql_said(db, "SQLite", error);
}

sqlite3_stmt *sql_prepare(sqlite3 *db, const char *statement, base_error_t *error) {
  sqlite3_stmt *made = NULL;
  if (sqlite3_prepare_v2(db, statement, -1, &made, NULL) != SQLITE_OK) {
    sql_said(db, "SQLite", error);
  }
  return made;
}

// --- an expression ----------------------------------------------------------------------------

static bool is_function(const char *name) {
  static const char *const list[] = {
#define SQL_FUNCTION(name) #name,
#include "sweep/sql/sql_functions.def"
#undef SQL_FUNCTION
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    if (strcasecmp(name, list[i]) == 0) {
      return true;
    }
  }
  return false;
}

// Answers SQLite's questions as it compiles: it allows a select of our table and its columns, by these functions.
static int allowed(void *context, int action, const char *first, const char *second, const char *database,
                   const char *trigger) {
  (void)context, (void)database, (void)trigger;
  switch (action) {
    case SQLITE_SELECT:
      return SQLITE_OK;
    case SQLITE_READ:
      return strcasecmp(first, SQL_TABLE) == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return is_function(second) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// Looks at a statement under way: nonzero ends it.
static int too_long(void *looks) { return host_interrupted() || ++*(unsigned *)looks > LOOKS; }

static void watch(sqlite3_stmt *statement, unsigned *looks) {
  sqlite3_progress_handler(sqlite3_db_handle(statement), looks == NULL ? 0 : WATCHED, too_long, looks);
}

// The words after the expression are on a line of their own: it may end in a comment.  NULL: *status says why.
static sqlite3_stmt *compile(sqlite3 *db, const char *format, const char *before, const char *expression,
                             const char *after, int *status) {
  sqlite3_stmt *statement = NULL;
  const char *rest = "";
  char *text = sqlite3_mprintf(format, before, expression, after);
  if (text == NULL) {
    *status = SQLITE_NOMEM;
    return NULL;
  }
  sqlite3_set_authorizer(db, allowed, NULL);
  *status = sqlite3_prepare_v2(db, text, -1, &statement, &rest);
  sqlite3_set_authorizer(db, NULL, NULL);
  if (rest[0] != '\0' || sqlite3_bind_parameter_count(statement) > 0) {
    sqlite3_finalize(statement);
    statement = NULL;
  }
  sqlite3_free(text);
  return statement;
}

sqlite3_stmt *sql_expression(sqlite3 *db, const char *before, const char *expression, const char *after,
                             const char *what, base_error_t *error) {
  // One that closes the bracket it stands in, and opens another, would choose rows: it is wrong in two brackets.
  int status;
  sqlite3_stmt *statement = compile(db, "%s(%s\n)%s", before, expression, after, &status);
  if (statement != NULL) {
    sqlite3_finalize(statement);
    statement = compile(db, "%s%s\n%s", before, expression, after, &status);
  }
  if (status == SQLITE_NOMEM) {
    base_fail(error, "%s: out of memory", what);
  } else if (status != SQLITE_OK) {
    base_fail(error, "%s: %s, in '%s'", what, sqlite3_errmsg(db), expression);
  } else if (statement == NULL) {
    base_fail(error, "%s: expected one SQL expression without parameters, got '%s'", what, expression);
  }
  return statement;
}

sql_step_t sql_next(sqlite3_stmt *statement, const char *what, base_error_t *error) {
  unsigned looks = (unsigned)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0) / WATCHED;  // until this row
  watch(statement, &looks);
  const int status = sqlite3_step(statement);
  watch(statement, NULL);
  if (status == SQLITE_ROW || status == SQLITE_DONE) {
    return status == SQLITE_ROW ? SQL_ROW : SQL_END;
  }
  if (looks > LOOKS) {
    base_fail(error, "%s: takes too long", what);
  } else {
    sql_said(sqlite3_db_handle(statement), what, error);
  }
  return SQL_FAILED;
}

bool sql_number(sqlite3_stmt *statement, int column, const char *what, double *value, base_error_t *error) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      *value = sqlite3_column_double(statement, column);
      return true;
    case SQLITE_NULL:
      *value = NAN;
      return true;
    default:
      return base_fail(error, "%s: expected a number, got the text '%s'", what,
                       (const char *)sqlite3_column_text(statement, column));
  }
}
