// SPDX-License-Identifier: Apache-2.0
#include "config/config_yaml.h"

#include <stdio.h>
#include <string.h>

static void note(cyaml_log_t level, void *context, const char *format, va_list arguments) {
  (void)level;
  config_complaint_t *complaint = context;
  char text[256];
  char name[64];
  unsigned line = 0;
  vsnprintf(text, sizeof text, format, arguments);
  text[strcspn(text, "\n")] = '\0';
  const char *say = strncmp(text, "Load: ", 6) == 0 ? text + 6 : text;
  say += strspn(say, " ");
  if (sscanf(say, "in mapping field '%63[^']' (line: %u", name, &line) == 2) {
    char *level_name = complaint->inner[0] == '\0' ? complaint->inner : complaint->outer;
    memcpy(level_name, name, sizeof name);
  } else if (sscanf(say, "in mapping (line: %u", &line) == 1) {
    strcpy(complaint->inner, "?");
  } else if (complaint->message[0] == '\0') {
    snprintf(complaint->message, sizeof complaint->message, "%.150s", say);
  }
  complaint->line = complaint->line == 0 ? line : complaint->line;
}

cyaml_config_t config_yaml_settings(config_complaint_t *complaint) {
  return (cyaml_config_t){.log_fn = note, .log_ctx = complaint, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_WARNING};
}

bool config_yaml_fail(const char *path, unsigned line, const char *field, const char *reason, base_error_t *error) {
  char where[16] = "";
  if (line != 0) {
    snprintf(where, sizeof where, ":%u", line);
  }
  return base_fail(error, "%.180s%s: %.80s%s%.220s", path, where, field, field[0] == '\0' ? "" : ": ", reason);
}

// A key's full name; where libcyaml names the key in its message, the backtrace has its neighbour.
static void field_name(config_complaint_t *complaint, const char *key, char field[130]) {
  if (key != NULL) {
    snprintf(complaint->inner, sizeof complaint->inner, "%.60s", key);
  }
  snprintf(field, 130, "%s%s%s", complaint->outer, complaint->outer[0] == '\0' ? "" : ".", complaint->inner);
}

static const char *after(const char *text, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

bool config_yaml_explain(const char *path, const char *what, cyaml_err_t status, config_complaint_t *complaint,
                         base_error_t *error) {
  char no_such[40];
  char field[130];
  const char *unknown = after(complaint->message, "Unexpected key: ");
  const char *repeated = after(complaint->message, "Mapping field already seen: ");
  field_name(complaint, unknown != NULL ? unknown : repeated, field);
  if (unknown != NULL) {
    snprintf(no_such, sizeof no_such, "no such field in a %s", what);
    return config_yaml_fail(path, complaint->line, field, no_such, error);
  }
  if (repeated != NULL) {
    return config_yaml_fail(path, complaint->line, field, "given twice", error);
  }
  if (after(complaint->message, "Expecting STRING") != NULL) {
    return config_yaml_fail(path, complaint->line, field, "expected one value", error);
  }
  if (after(complaint->message, "Expecting MAPPING") != NULL) {
    return config_yaml_fail(path, complaint->line, field, "expected fields, NAME: VALUE", error);
  }
  return config_yaml_fail(path, complaint->line, field,
                          complaint->message[0] != '\0' ? complaint->message : cyaml_strerror(status), error);
}
