// SQLite, and in it expressions that somebody has written, which compute and do nothing else: they may read the table
// SQL_TABLE, use the functions of sql_functions.def, and take so many steps. Nothing is opened, changed or loaded by
// them, and they have the same value whenever they are asked.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_SQL_SQL_H
#define AMALGAM_SWEEP_SQL_SQL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

#define SQL_TABLE "results"

// A database in a file (what is there is read as one, or begun if it is empty), or in memory (NULL). A name in double
// quotes is a column's or an error, never a text.  To be closed with sqlite3_close.  NULL: error says why.
sqlite3 *sql_open(const char *file, base_error_t *error);

// Statements of our own, one after the other.  False: error has SQLite's words.
__attribute__((warn_unused_result)) bool sql_run(sqlite3 *db, const char *statements, base_error_t *error);
sqlite3_stmt *sql_prepare(sqlite3 *db, const char *statement, base_error_t *error);

// The statement `before EXPRESSION after`, as in ("SELECT rowid, (", "cycles / 2", ") FROM results").  NULL: error is
// "WHAT: why not", where `what` names file and field. To be finalised by the caller.
sqlite3_stmt *sql_expression(sqlite3 *db, const char *before, const char *expression, const char *after,
                             const char *what, base_error_t *error);

typedef enum sql_step { SQL_ROW, SQL_END, SQL_FAILED } sql_step_t;

// The statement's next row.  SQL_FAILED: error is "WHAT: why".
sql_step_t sql_next(sqlite3_stmt *statement, const char *what, base_error_t *error);

// A column of that row as a number; NAN: NULL.  False: it is a text; error is "WHAT: ...".
__attribute__((warn_unused_result)) bool sql_number(sqlite3_stmt *statement, int column, const char *what,
                                                    double *value, base_error_t *error);

#endif
