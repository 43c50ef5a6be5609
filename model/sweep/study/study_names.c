// SPDX-License-Identifier: Apache-2.0
#include "sweep/study/study_names.h"

#include <ctype.h>
#include <sqlite3.h>
#include <string.h>
#include <strings.h>

// The other columns of a study's table, and what SQLite calls a row's number and the table.
static const char *const reserved[] = {"status",  "error", "command", "result", "attempts", "seconds",
                                       "peak_mb", "host",  "rowid",   "oid",    "_rowid_",  "results"};

static bool is_letter(char c) { return isalpha((unsigned char)c) != 0 || c == '_'; }
static bool is_mark(char c) { return is_letter(c) || isdigit((unsigned char)c) != 0; }

bool study_name_is_column(const char *name, const char *where, base_error_t *error) {
  const size_t length = strlen(name);
  size_t good = 0;
  while (is_mark(name[good])) {
    ++good;
  }
  if (length == 0 || length >= STUDY_NAME_BYTES || good != length || !is_letter(name[0])) {
    return base_fail(error, "%s: expected a name of letters, digits and _, at most %d, got '%s'", where,
                     STUDY_NAME_BYTES - 1, name);
  }
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; ++i) {
    if (strcasecmp(name, reserved[i]) == 0) {
      return base_fail(error, "%s: '%s' is a column of every table; expected another name", where, name);
    }
  }
  return sqlite3_keyword_check(name, (int)length) == 0 ||
         base_fail(error, "%s: '%s' is a word of SQL; expected another name", where, name);
}

bool study_name_is_file(const char *name, const char *where, base_error_t *error) {
  size_t good = 0;
  while (is_mark(name[good]) || name[good] == '-') {
    ++good;
  }
  if (good == 0 || good >= STUDY_NAME_BYTES || name[good] != '\0' || name[0] == '-') {
    return base_fail(error, "%s: expected a name of letters, digits, _ and -, at most %d, got '%s'", where,
                     STUDY_NAME_BYTES - 1, name);
  }
  return true;
}

// [2], or nothing.
static const char *skip_index(const char *at) {
  if (*at != '[') {
    return at;
  }
  const size_t digits = strspn(at + 1, "0123456789");
  return digits > 0 && digits < 7 && at[1 + digits] == ']' ? at + digits + 2 : NULL;
}

bool study_name_is_path(const char *path, const char *where, base_error_t *error) {
  const char *at = path;
  for (bool more = true; more;) {
    const size_t length = strcspn(at, ".[]");
    at = length > 0 ? at + length : NULL;
    while (at != NULL && *at == '[') {
      at = skip_index(at);
    }
    if (at == NULL || (*at != '\0' && *at != '.')) {
      return base_fail(error, "%s: expected a path in a run's JSON such as a.b[2].c, got '%s'", where, path);
    }
    more = *at++ == '.';
  }
  return true;
}
