// A table in SQLite: its expressions, and the file results.sqlite.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_TABLE_TABLE_SQL_H
#define AMALGAM_SWEEP_TABLE_TABLE_SQL_H

#include "sweep/table/table.h"

// Computes the expressions into table->metric, from all other cells, and writes the file unless it is NULL.
bool table_sql(table_t *table, const char *sqlite_file, base_error_t *error);

#endif
