// libcyaml checks the structure of a study's file, unknown, repeated and missing keys and nesting; numbers are left to
// study.c, since libcyaml takes "3z" for 3.
// SPDX-License-Identifier: Apache-2.0
#include "sweep/study/study_file.h"

#include <cyaml/cyaml.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"

// --- the schema -------------------------------------------------------------------------------

#define NEEDED CYAML_FLAG_POINTER
#define IF_GIVEN (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
#define TEXT(name, flags, type) CYAML_FIELD_STRING_PTR(#name, flags, type, name, 0, CYAML_UNLIMITED)
#define LIST(name, flags, type, entry) CYAML_FIELD_SEQUENCE(#name, flags, type, name, entry, 0, CYAML_UNLIMITED)

static const cyaml_schema_value_t text = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t range_fields[] = {TEXT(from, NEEDED, file_range_t), TEXT(to, NEEDED, file_range_t),
                                                    TEXT(step, IF_GIVEN, file_range_t), CYAML_FIELD_END};

static const cyaml_schema_field_t axis_fields[] = {
    TEXT(name, NEEDED, file_axis_t),
    TEXT(option, IF_GIVEN, file_axis_t),
    TEXT(set, IF_GIVEN, file_axis_t),
    TEXT(word, IF_GIVEN, file_axis_t),
    LIST(values, IF_GIVEN, file_axis_t, &text),
    CYAML_FIELD_MAPPING_PTR("range", IF_GIVEN, file_axis_t, range, range_fields),
    CYAML_FIELD_MAPPING_PTR("powers", IF_GIVEN, file_axis_t, powers, range_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t axis = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, file_axis_t, axis_fields)};

static const cyaml_schema_field_t metric_fields[] = {
    TEXT(name, NEEDED, file_metric_t),         TEXT(json, IF_GIVEN, file_metric_t),
    TEXT(expression, IF_GIVEN, file_metric_t), TEXT(unit, IF_GIVEN, file_metric_t),
    TEXT(better, IF_GIVEN, file_metric_t),     CYAML_FIELD_END};
static const cyaml_schema_value_t metric = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, file_metric_t, metric_fields)};

static const cyaml_schema_field_t plot_fields[] = {TEXT(name, NEEDED, file_plot_t),
                                                   TEXT(kind, NEEDED, file_plot_t),
                                                   TEXT(title, IF_GIVEN, file_plot_t),
                                                   TEXT(x, NEEDED, file_plot_t),
                                                   TEXT(y, NEEDED, file_plot_t),
                                                   TEXT(value, IF_GIVEN, file_plot_t),
                                                   TEXT(series, IF_GIVEN, file_plot_t),
                                                   LIST(log, IF_GIVEN, file_plot_t, &text),
                                                   CYAML_FIELD_END};
static const cyaml_schema_value_t plot = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, file_plot_t, plot_fields)};

static const cyaml_schema_field_t limits_fields[] = {TEXT(seconds, IF_GIVEN, file_limits_t),
                                                     TEXT(memory_mb, IF_GIVEN, file_limits_t), CYAML_FIELD_END};

static const cyaml_schema_field_t file_fields[] = {
    TEXT(question, NEEDED, study_file_t),
    TEXT(command, NEEDED, study_file_t),
    LIST(beside, IF_GIVEN, study_file_t, &text),
    LIST(axes, NEEDED, study_file_t, &axis),
    LIST(constraints, IF_GIVEN, study_file_t, &text),
    LIST(metrics, NEEDED, study_file_t, &metric),
    LIST(plots, IF_GIVEN, study_file_t, &plot),
    CYAML_FIELD_MAPPING_PTR("limits", IF_GIVEN, study_file_t, limits, limits_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t top = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, study_file_t, file_fields)};

// --- what libcyaml says -----------------------------------------------------------------------

// A message, then where it was, from the innermost field out. If a key is missing, not known or there twice, the
// message has the name, and the first field, if there is one, is its neighbour.
typedef struct complaint {
  char message[200], field[160];
  const char *key, *reason;  // of such a key
  unsigned line;
} complaint_t;

// Puts "NAME" or "[NUMBER]" before what is there.
static void lead(complaint_t *complaint, const char *part) {
  char rest[sizeof complaint->field];
  memcpy(rest, complaint->field, sizeof rest);
  snprintf(complaint->field, sizeof complaint->field, "%.60s%s%.90s", part,
           rest[0] == '\0' || rest[0] == '[' ? "" : ".", rest);
}

static void note_message(complaint_t *complaint, const char *text) {
  static const struct {
    const char *said, *reason;
  } known[] = {{"Unexpected key: ", "no such field in a study"},
               {"Mapping field already seen: ", "given twice"},
               {"Missing required mapping field: ", "missing"}};
  snprintf(complaint->message, sizeof complaint->message, "%.190s", text);
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    const size_t length = strlen(known[i].said);
    if (strncmp(text, known[i].said, length) == 0) {
      complaint->key = complaint->message + length;
      complaint->reason = known[i].reason;
    }
  }
}

static void note(cyaml_log_t level, void *context, const char *format, va_list arguments) {
  (void)level;
  complaint_t *complaint = context;
  char said[256], name[64], part[72];
  unsigned line = 0, number;
  vsnprintf(said, sizeof said, format, arguments);
  said[strcspn(said, "\n")] = '\0';
  const char *at = strncmp(said, "Load: ", 6) == 0 ? said + 6 : said;
  at += strspn(at, " ");
  const bool first = complaint->line == 0;
  if (sscanf(at, "in mapping field '%63[^']' (line: %u", name, &line) == 2) {
    lead(complaint, first && complaint->key != NULL ? "" : name);
  } else if (sscanf(at, "in sequence entry '%u' (line: %u", &number, &line) == 2) {
    snprintf(part, sizeof part, "[%u]", number - 1);  // libcyaml counts from 1
    lead(complaint, part);
  } else if (sscanf(at, "in mapping (line: %u", &line) != 1 && complaint->message[0] == '\0') {
    note_message(complaint, at);
  }
  complaint->line = complaint->line == 0 ? line : complaint->line;
}

static cyaml_config_t settings(complaint_t *complaint) {
  return (cyaml_config_t){.log_fn = note, .log_ctx = complaint, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_WARNING};
}

static void fail(const char *path, const complaint_t *complaint, const char *key, const char *reason,
                 base_error_t *error) {
  char where[16] = "";
  if (complaint->line != 0) {
    snprintf(where, sizeof where, ":%u", complaint->line);
  }
  const char *dot = complaint->field[0] != '\0' && key[0] != '\0' ? "." : "";
  const char *colon = complaint->field[0] != '\0' || key[0] != '\0' ? ": " : "";
  base_fail(error, "%s%s: %s%s%s%s%s", path, where, complaint->field, dot, key, colon, reason);
}

static void explain(const char *path, cyaml_err_t status, const complaint_t *complaint, base_error_t *error) {
  const char *message = complaint->message;
  if (complaint->key != NULL) {
    fail(path, complaint, complaint->key, complaint->reason, error);
    return;
  }
  const char *expected = strstr(message, "Expecting STRING") != NULL    ? "expected one value"
                         : strstr(message, "Expecting MAPPING") != NULL ? "expected fields, NAME: VALUE"
                         : strstr(message, "Expecting SEQUENCE") != NULL
                             ? "expected a list, [A, B] or lines that begin with -"
                         : message[0] != '\0' ? message
                                              : cyaml_strerror(status);
  fail(path, complaint, "", expected, error);
}

study_file_t *study_file_read(const char *path, base_error_t *error) {
  complaint_t complaint = {.line = 0};
  const cyaml_config_t config = settings(&complaint);
  cyaml_data_t *data = NULL;
  FILE *there = input_open(path, error);
  if (there == NULL) {
    return NULL;
  }
  fclose(there);
  const cyaml_err_t status = cyaml_load_file(path, &config, &top, &data, NULL);
  study_file_t *file = data;
  if (status == CYAML_OK && complaint.message[0] == '\0' && file != NULL) {
    return file;
  }
  if (status == CYAML_OK && file == NULL) {
    base_fail(error, "%s: empty; expected a study with question, command, axes and metrics", path);
  } else {
    explain(path, status, &complaint, error);
  }
  study_file_free(file);
  return NULL;
}

void study_file_free(study_file_t *file) {
  complaint_t complaint = {.line = 0};
  const cyaml_config_t config = settings(&complaint);
  cyaml_free(&config, &top, file, 0);
}
