// SPDX-License-Identifier: Apache-2.0
#include "cli/text/csv.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS_MAX = 64, NAME_BYTES = 96 };

typedef struct columns {
  char name[COLUMNS_MAX][NAME_BYTES];
  size_t count;
} columns_t;

typedef struct row {
  const columns_t *columns;
  const cJSON *value[COLUMNS_MAX];
} row_t;

static size_t find(const columns_t *columns, const char *name) {
  size_t i = 0;
  while (i < columns->count && strcmp(columns->name[i], name) != 0) {
    ++i;
  }
  return i;
}

// Calls see for each value of an object, with its column's name.
static void for_values(const cJSON *object, const char *before, void (*see)(void *, const char *, const cJSON *),
                       void *context) {
  const cJSON *item;
  cJSON_ArrayForEach(item, object) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%.44s%s%.44s", before, before[0] == '\0' ? "" : ".", item->string);
    if (cJSON_IsObject(item) && before[0] == '\0') {  // no deeper than that
      for_values(item, name, see, context);
    } else {
      see(context, name, item);
    }
  }
}

static void add_column(void *context, const char *name, const cJSON *value) {
  columns_t *columns = context;
  (void)value;
  if (columns->count < COLUMNS_MAX && find(columns, name) == columns->count) {
    snprintf(columns->name[columns->count++], NAME_BYTES, "%s", name);
  }
}

static void take_value(void *context, const char *name, const cJSON *value) {
  row_t *row = context;
  const size_t column = find(row->columns, name);
  if (column < row->columns->count) {
    row->value[column] = value;
  }
}

static void put_text(FILE *file, const char *text) {
  const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
  fputs(quoted ? "\"" : "", file);
  for (; *text != '\0'; ++text) {
    fputs(quoted && *text == '"' ? "\"" : "", file);
    fputc(*text, file);
  }
  fputs(quoted ? "\"" : "", file);
}

// Numbers as they stand in the JSON.
static void put_value(FILE *file, const cJSON *value) {
  if (value == NULL || cJSON_IsNull(value)) {
    return;
  }
  if (cJSON_IsString(value)) {
    put_text(file, value->valuestring);
    return;
  }
  char *text = cJSON_PrintUnformatted(value);
  put_text(file, text == NULL ? "" : text);
  cJSON_free(text);
}

void csv_write(FILE *file, const cJSON *list) {
  columns_t columns = {.count = 0};
  const cJSON *item;
  cJSON_ArrayForEach(item, list) { for_values(item, "", add_column, &columns); }
  for (size_t i = 0; i < columns.count; ++i) {
    fputs(i == 0 ? "" : ",", file);
    put_text(file, columns.name[i]);
  }
  fputs(columns.count == 0 ? "" : "\n", file);
  cJSON_ArrayForEach(item, list) {
    row_t row = {.columns = &columns};
    for_values(item, "", take_value, &row);
    for (size_t i = 0; i < columns.count; ++i) {
      fputs(i == 0 ? "" : ",", file);
      put_value(file, row.value[i]);
    }
    fputc('\n', file);
  }
}
