// SPDX-License-Identifier: Apache-2.0
#include "report/document.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_BYTES = 96, MISSING_BYTES = 64 };

// --- the document -----------------------------------------------------------------------------

// The object that the name's last part is a member of.
static cJSON *parent_of(cJSON *object, const char **name) {
  for (const char *slash; (slash = strchr(*name, '/')) != NULL; *name = slash + 1) {
    char part[FIELD_BYTES];
    snprintf(part, sizeof part, "%.*s", (int)(slash - *name), *name);
    cJSON *child = cJSON_GetObjectItemCaseSensitive(object, part);
    object = child != NULL ? child : cJSON_AddObjectToObject(object, part);
  }
  return object;
}

cJSON *report_put_members(cJSON *object, const report_member_t *member) {
  for (; member->name != NULL; ++member) {
    const char *name = member->name;
    cJSON *parent = parent_of(object, &name);
    switch (member->kind) {
      case REPORT_NUMBER:
        cJSON_AddNumberToObject(parent, name, member->number);
        break;
      case REPORT_TEXT:
        cJSON_AddStringToObject(parent, name, member->text);
        break;
      case REPORT_FLAG:
        cJSON_AddBoolToObject(parent, name, member->number != 0);
        break;
      case REPORT_NULL:
        cJSON_AddNullToObject(parent, name);
        break;
    }
  }
  return object;
}

void report_put_text(cJSON *object, const char *name, const char *format, ...) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *memory = open_memstream(&text, &bytes);
  va_list arguments;
  va_start(arguments, format);
  if (memory != NULL) {
    vfprintf(memory, format, arguments);
    fclose(memory);
    report_put(object, TEXT(name, text));
  }
  va_end(arguments);
  free(text);
}

void report_strip(cJSON *item) {
  for (cJSON *child = item->child, *next; child != NULL; child = next) {
    next = child->next;
    if (child->string != NULL && child->string[0] == '.') {
      cJSON_Delete(cJSON_DetachItemViaPointer(item, child));
    } else {
      report_strip(child);
    }
  }
}

// --- members ----------------------------------------------------------------------------------

typedef struct view {
  FILE *file;
  const cJSON *root;
  const char *none;
  char *missing;  // [MISSING_BYTES], the first name that was not found
} view_t;

static const cJSON *find(const cJSON *item, const char *path) {
  while (item != NULL && *path != '\0') {
    char part[FIELD_BYTES];
    const size_t length = strcspn(path, "/");
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    const cJSON *member =
        cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(part)) : cJSON_GetObjectItemCaseSensitive(item, part);
    if (cJSON_IsNull(member)) {
      return member;  // so are its members
    }
    item = member;
    path += length + (path[length] == '/');
  }
  return item;
}

static const cJSON *look_up(const view_t *view, const cJSON *row, char *path) {
  const size_t length = strlen(path);
  const bool optional = length > 0 && path[length - 1] == '?';
  if (optional) {
    path[length - 1] = '\0';
  }
  const cJSON *item = find(row, path);
  item = item != NULL ? item : find(view->root, path);
  if (item == NULL && !optional && view->missing[0] == '\0') {
    snprintf(view->missing, MISSING_BYTES, "%.63s", path);
  }
  return item;
}

static void print_number(FILE *file, double value, const char *format) {
  char *end;
  const bool sign = format != NULL && *format == '+';
  const int digits = format == NULL ? 15 : (int)strtol(format + sign, &end, 10);
  if (format == NULL || *end == 'g') {
    fprintf(file, "%.*g", format != NULL && end == format ? 6 : digits, value);
  } else {
    fprintf(file, sign ? "%+.*f" : "%.*f", digits, value);
  }
}

// The field between two braces.
static void print_field(const view_t *view, const cJSON *row, const char *at, size_t length) {
  char field[FIELD_BYTES];
  snprintf(field, sizeof field, "%.*s", (int)length, at);
  char *format = strchr(field, ':');
  if (format != NULL) {
    *format++ = '\0';
  }
  char *times = strchr(field, '*');
  if (times != NULL) {
    *times++ = '\0';
  }
  const cJSON *item = look_up(view, row, field);
  const double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
  if (cJSON_IsString(item)) {
    fputs(item->valuestring, view->file);
  } else if (isfinite(value)) {
    print_number(view->file, times == NULL ? value : value * atof(times), format);
  } else {
    fputs(view->none, view->file);
  }
}

static void print(const view_t *view, const cJSON *row, const char *text, const char *end) {
  while (text < end) {
    const char *brace = memchr(text, '{', (size_t)(end - text));
    const char *stop = brace == NULL ? end : brace;
    fwrite(text, 1, (size_t)(stop - text), view->file);
    const char *close = memchr(stop, '}', (size_t)(end - stop));
    text = stop;
    if (close != NULL && (isalpha((unsigned char)stop[1]) || stop[1] == '.')) {
      print_field(view, row, stop + 1, (size_t)(close - stop - 1));
      text = close + 1;
    } else if (stop < end) {
      fputc(*text++, view->file);
    }
  }
}

// --- lines ------------------------------------------------------------------------------------

static const char *next_line(const char *line, const char *end) {
  const char *stop = memchr(line, '\n', (size_t)(end - line));
  return stop == NULL ? end : stop + 1;
}

// Is the row one of "rows|NAME=VALUE"? condition: what follows the |.
static bool is_meant(const cJSON *row, const char *condition) {
  char name[FIELD_BYTES];
  char value[FIELD_BYTES];
  const size_t length = strcspn(condition, "=");
  snprintf(name, sizeof name, "%.*s", (int)length, condition);
  const cJSON *item = find(row, name);
  snprintf(value, sizeof value, "%.15g", cJSON_IsNumber(item) ? item->valuedouble : NAN);
  return strcmp(cJSON_IsString(item) ? item->valuestring : value, condition + length + 1) == 0;
}

// "@LIST LINE", and lines "@ LINE" behind it. Returns what follows them.
static const char *print_each(const view_t *view, const char *line, const char *end) {
  char list[FIELD_BYTES];
  const size_t length = strcspn(line + 1, " \n");
  snprintf(list, sizeof list, "%.*s", (int)length, line + 1);
  char *condition = strchr(list, '|');
  if (condition != NULL) {
    *condition++ = '\0';
  }
  const char *after = next_line(line, end);
  while (end - after > 1 && after[0] == '@' && after[1] == ' ') {
    after = next_line(after, end);
  }
  const cJSON *rows = look_up(view, NULL, list);
  const cJSON *row = cJSON_IsArray(rows) ? rows->child : cJSON_IsNull(rows) ? NULL : rows;
  for (; row != NULL; row = cJSON_IsArray(rows) ? row->next : NULL) {
    if (condition != NULL && !is_meant(row, condition)) {
      continue;
    }
    const char *from = line + 1 + length + (line[1 + length] == ' ');
    for (const char *at = line; at < after; at = next_line(at, end), from = at + 2) {
      print(view, row, from, next_line(at, end));
    }
  }
  return after;
}

bool report_print(FILE *file, const cJSON *root, const char *text, const char *end, const char *none,
                  char missing[64]) {
  const view_t view = {file, root, none, missing};
  missing[0] = '\0';
  while (text < end) {
    if (*text == '@') {
      text = print_each(&view, text, end);
    } else {
      const char *next = next_line(text, end);
      print(&view, root, text, next);
      text = next;
    }
  }
  return missing[0] == '\0';
}

// --- the plot ---------------------------------------------------------------------------------

static const char fence[] = "```gnuplot ";

report_plot_t report_plot(const cJSON *root, const char *text) {
  report_plot_t plot = {.size = "760,380", .at = strstr(text, fence)};
  const char *end = text + strlen(text);
  if (plot.at == NULL) {
    plot.at = plot.after = end;
    return plot;
  }
  char line[FIELD_BYTES] = "";
  char missing[MISSING_BYTES];
  plot.script = next_line(plot.at, end);
  plot.end = strstr(plot.script, "```");
  plot.after = next_line(plot.end, end);
  FILE *memory = fmemopen(line, sizeof line, "w");
  report_print(memory, root, plot.at + strlen(fence), plot.script, "", missing);
  fclose(memory);
  plot.bars = strstr(line, " bars") != NULL;
  const char *size = strstr(line, " size ");
  if (size != NULL) {
    sscanf(size, " size %15s", plot.size);
  }
  sscanf(line, "%31s", plot.name);
  return plot;
}
