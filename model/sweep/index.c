// The index of results.h, as an SQLite file.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "sweep/results.h"
#include "sweep/sql/sql.h"
#include "sweep/store/digest.h"

enum { COLUMNS = 12 };  // of a result

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
    "CREATE TABLE key (metrics TEXT, points TEXT);"
    "CREATE TABLE folder (number INTEGER, time INTEGER);"
    "CREATE TABLE result (name TEXT, time INTEGER, inode INTEGER, exit INTEGER, attempts INTEGER, seconds REAL,"
    " peak_mb REAL, limit_seconds REAL, limit_mb REAL, error TEXT, host TEXT, metrics BLOB);";

// An index is used if its metrics are the study's; the folders' times only if the points are, too.
typedef struct keys {
  char metrics[STORE_NAME_BYTES], points[STORE_NAME_BYTES];
} keys_t;

static keys_t keys_of(const sweep_t *sweep) {
  digest_t digest = {0};
  keys_t keys = {.metrics = ""};
  digest_begin(&digest);
  for (size_t i = 0; i < sweep->study->metrics; ++i) {
    digest_text(&digest, "metric", sweep->study->metric[i].json == NULL ? "" : sweep->study->metric[i].json);
  }
  digest_name(&digest, keys.metrics);
  digest_begin(&digest);
  digest_bytes(&digest, "points", sweep->name, sweep->points * sizeof *sweep->name);
  digest_name(&digest, keys.points);
  digest_free(&digest);
  return keys;
}

// --- reading ----------------------------------------------------------------------------------

static bool column_is(sqlite3_stmt *row, int column, const char *text) {
  const char *is = (const char *)sqlite3_column_text(row, column);
  return is != NULL && strcmp(is, text) == 0;
}

static const char *text_of(sqlite3_stmt *row, int column, arena_t *arena) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text == NULL || text[0] == '\0' ? "" : arena_text(arena, text);
}

static void read_result(sweep_t *sweep, sqlite3_stmt *row) {
  const size_t metrics = sweep->study->metrics * sizeof(double);
  const char *name = (const char *)sqlite3_column_text(row, 0);
  if (name == NULL || strlen(name) != STORE_NAME_BYTES - 1 ||
      strspn(name, "0123456789abcdef") != STORE_NAME_BYTES - 1 || sqlite3_column_count(row) != COLUMNS ||
      (size_t)sqlite3_column_bytes(row, COLUMNS - 1) != metrics) {
    return;
  }
  const uint32_t first = results_find(sweep, name);
  if (first == RESULTS_NONE) {
    return;
  }
  result_t *result = &sweep->results->result[first];
  record_t *record = &result->record;
  result->time = sqlite3_column_int64(row, 1);
  result->inode = (uint64_t)sqlite3_column_int64(row, 2);
  *record = (record_t){.exit = sqlite3_column_int(row, 3),
                       .failed = sqlite3_column_int(row, 3) != 0,
                       .attempts = (unsigned)sqlite3_column_int(row, 4),
                       .seconds = sqlite3_column_double(row, 5),
                       .peak_mb = sqlite3_column_double(row, 6),
                       .limit_seconds = sqlite3_column_double(row, 7),
                       .limit_mb = sqlite3_column_double(row, 8),
                       .error = text_of(row, 9, &sweep->arena),
                       .host = text_of(row, 10, &sweep->arena),
                       .metric = arena_bytes(&sweep->arena, sweep->study->metrics, sizeof *record->metric)};
  memcpy(record->metric, sqlite3_column_blob(row, COLUMNS - 1), metrics);
  results_set(sweep, first);
}

static bool read_all(sweep_t *sweep, sqlite3 *db, const char *what, base_error_t *error) {
  const keys_t keys = keys_of(sweep);
  sqlite3_stmt *key = sql_prepare(db, "SELECT metrics, points FROM key", error);
  bool good = key != NULL && sql_next(key, what, error) == SQL_ROW && column_is(key, 0, keys.metrics);
  const bool same_points = good && column_is(key, 1, keys.points);
  sqlite3_finalize(key);
  sqlite3_stmt *rows = good ? sql_prepare(db, "SELECT * FROM result", error) : NULL;
  sql_step_t step = SQL_FAILED;
  while (rows != NULL && (step = sql_next(rows, what, error)) == SQL_ROW) {
    read_result(sweep, rows);
  }
  sqlite3_finalize(rows);
  sqlite3_stmt *folders =
      step == SQL_END && same_points ? sql_prepare(db, "SELECT number, time FROM folder", error) : NULL;
  while (folders != NULL && (step = sql_next(folders, what, error)) == SQL_ROW) {
    const int number = sqlite3_column_int(folders, 0);
    if (number >= 0 && number < RESULTS_FOLDERS) {
      sweep->results->folder[number] = sqlite3_column_int64(folders, 1);
    }
  }
  sqlite3_finalize(folders);
  return step == SQL_END;
}

void results_read_index(sweep_t *sweep) {
  char path[STORE_PATH_BYTES];
  base_error_t error;
  store_study_path(&sweep->store, sweep->study->name, "index.sqlite", path);
  sqlite3 *db = access(path, R_OK) == 0 ? sql_open(path, &error) : NULL;
  if (db == NULL || !read_all(sweep, db, path, &error)) {  // all is read from the store
    memset(sweep->results->folder, 0, sizeof sweep->results->folder);
  }
  sqlite3_close(db);
}

// --- writing ----------------------------------------------------------------------------------

static bool insert_row(sqlite3_stmt *insert, base_error_t *error) {
  const bool good = sql_next(insert, "index", error) == SQL_END;
  sqlite3_reset(insert);
  return good;
}

static bool write_keys(const sweep_t *sweep, sqlite3 *db, base_error_t *error) {
  const keys_t keys = keys_of(sweep);
  sqlite3_stmt *insert = sql_prepare(db, "INSERT INTO key VALUES (?, ?)", error);
  if (insert != NULL) {
    sqlite3_bind_text(insert, 1, keys.metrics, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, keys.points, -1, SQLITE_STATIC);
  }
  const bool good = insert != NULL && insert_row(insert, error);
  sqlite3_finalize(insert);
  return good;
}

static bool write_folders(const sweep_t *sweep, sqlite3 *db, base_error_t *error) {
  sqlite3_stmt *insert = sql_prepare(db, "INSERT INTO folder VALUES (?, ?)", error);
  bool good = insert != NULL;
  for (int i = 0; good && i < RESULTS_FOLDERS; ++i) {
    sqlite3_bind_int(insert, 1, i);
    sqlite3_bind_int64(insert, 2, sweep->results->folder[i]);
    good = insert_row(insert, error);
  }
  sqlite3_finalize(insert);
  return good;
}

static void bind_result(const sweep_t *sweep, size_t point, sqlite3_stmt *insert) {
  const result_t *result = &sweep->results->result[point];
  const record_t *record = &result->record;
  sqlite3_bind_text(insert, 1, sweep->name[point], -1, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 2, result->time);
  sqlite3_bind_int64(insert, 3, (sqlite3_int64)result->inode);
  sqlite3_bind_int(insert, 4, record->exit);
  sqlite3_bind_int(insert, 5, (int)record->attempts);
  sqlite3_bind_double(insert, 6, record->seconds);
  sqlite3_bind_double(insert, 7, record->peak_mb);
  sqlite3_bind_double(insert, 8, record->limit_seconds);
  sqlite3_bind_double(insert, 9, record->limit_mb);
  sqlite3_bind_text(insert, 10, record->error, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 11, record->host, -1, SQLITE_STATIC);
  sqlite3_bind_blob(insert, COLUMNS, record->metric, (int)(sweep->study->metrics * sizeof(double)), SQLITE_STATIC);
}

static bool write_results(const sweep_t *sweep, sqlite3 *db, base_error_t *error) {
  sqlite3_stmt *insert = sql_prepare(db, "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", error);
  bool good = insert != NULL;
  for (size_t point = 0; good && point < sweep->points; ++point) {
    if (sweep->results->result[point].time != 0) {
      bind_result(sweep, point, insert);
      good = insert_row(insert, error);
    }
  }
  sqlite3_finalize(insert);
  return good;
}

static bool write_all(const sweep_t *sweep, const char *path, base_error_t *error) {
  sqlite3 *db = sql_open(path, error);
  const bool good = db != NULL && sql_run(db, schema, error) && write_keys(sweep, db, error) &&
                    write_folders(sweep, db, error) && write_results(sweep, db, error) && sql_run(db, "COMMIT", error);
  sqlite3_close(db);
  return good;
}

void results_write_index(sweep_t *sweep) {
  char path[STORE_PATH_BYTES];
  outputs_t outputs = {.count = 0};
  size_t index;
  base_error_t error;
  if (!sweep->results->changed) {
    return;
  }
  store_study_path(&sweep->store, sweep->study->name, "index.sqlite", path);
  if (outputs_add(&outputs, path, &index, &error) && outputs_stage(&outputs, index, &error) &&
      write_all(sweep, outputs_path(&outputs, index), &error)) {
    outputs_written(&outputs, index);
    sweep->results->changed = !outputs_commit(&outputs, &error);
  }
  outputs_discard(&outputs);
}
