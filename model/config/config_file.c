// Reading a config file.  libcyaml checks its structure (unknown, missing, repeated keys, nesting)
// and hands every value over as text, so that a file and --set go through the same checks: its own
// number parser takes "3z" for 3 and "010" for 8.
// SPDX-License-Identifier: Apache-2.0
#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/config.h"
#include "config/config_table.h"

enum { VALUE_BYTES = 64 };

// What libcyaml fills: the texts of all values, in the order of config.def.
typedef struct document {
  char value[CONFIG_PARAMS][VALUE_BYTES];
} document_t;

// The schema, built from the tables.
typedef struct schema {
  cyaml_schema_value_t top;
  cyaml_schema_field_t section[CONFIG_SECTIONS + 1];
  cyaml_schema_field_t param[CONFIG_PARAMS + CONFIG_SECTIONS];
} schema_t;

// What libcyaml says about an error: a message, and a backtrace from the innermost field out.
typedef struct complaint {
  char message[160];
  char inner[64], outer[64];
  unsigned line;
} complaint_t;

// No text is acceptable to the parameter of index `refused` (CONFIG_PARAMS: none is singled out);
// loading with such a schema makes libcyaml say where that value is.
static void build_schema(schema_t *schema, size_t refused) {
  memset(schema, 0, sizeof *schema);
  cyaml_schema_field_t *field = schema->param;
  size_t index = 0;
  for (size_t s = 0; s < CONFIG_SECTIONS; ++s) {
    schema->section[s].key = config_sections[s].name;
    schema->section[s].value.type = CYAML_MAPPING;
    schema->section[s].value.data_size = sizeof(document_t);
    schema->section[s].value.mapping.fields = field;
    for (const config_param_t *param = config_sections[s].params(); param->name != NULL; ++param) {
      field->key = param->name;
      field->data_offset = (uint32_t)(index * VALUE_BYTES);
      field->value.type = CYAML_STRING;
      field->value.data_size = VALUE_BYTES;
      field->value.string.min = index == refused ? VALUE_BYTES : 0;
      field->value.string.max = VALUE_BYTES - 1;
      ++index;
      ++field;
    }
    ++field;   // the end of the section's list: all zero
  }
  schema->top.type = CYAML_MAPPING;
  schema->top.flags = CYAML_FLAG_POINTER;
  schema->top.data_size = sizeof(document_t);
  schema->top.mapping.fields = schema->section;
}

static void note(cyaml_log_t level, void *context, const char *format, va_list arguments) {
  (void)level;
  complaint_t *complaint = context;
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

static cyaml_err_t load(const char *path, size_t refused, document_t **document,
                        complaint_t *complaint) {
  schema_t schema;
  build_schema(&schema, refused);
  memset(complaint, 0, sizeof *complaint);
  const cyaml_config_t settings = {.log_fn = note, .log_ctx = complaint, .mem_fn = cyaml_mem,
                                   .log_level = CYAML_LOG_WARNING};
  cyaml_data_t *data = NULL;
  const cyaml_err_t status = cyaml_load_file(path, &settings, &schema.top, &data, NULL);
  *document = data;
  return status;
}

// "PATH:LINE: FIELD: REASON", each part if known.
static bool fail(const char *path, unsigned line, const char *field, const char *reason,
                 char error[CONFIG_ERROR_BYTES]) {
  char where[16] = "";
  if (line != 0) {
    snprintf(where, sizeof where, ":%u", line);
  }
  snprintf(error, CONFIG_ERROR_BYTES, "%.200s%s: %.130s%s%.150s", path, where, field,
           field[0] == '\0' ? "" : ": ", reason);
  for (char *c = error; *c != '\0'; ++c) {
    *c = (unsigned char)*c < ' ' ? '?' : *c;
  }
  return false;
}

// A key's full name; where libcyaml names the key in its message, the backtrace has its neighbour.
static void field_name(complaint_t *complaint, const char *key, char field[130]) {
  if (key != NULL) {
    snprintf(complaint->inner, sizeof complaint->inner, "%.60s", key);
  }
  snprintf(field, 130, "%s%s%s", complaint->outer, complaint->outer[0] == '\0' ? "" : ".",
           complaint->inner);
}

static const char *after(const char *text, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static bool explain(const char *path, cyaml_err_t status, complaint_t *complaint,
                    char error[CONFIG_ERROR_BYTES]) {
  char field[130];
  const char *unknown = after(complaint->message, "Unexpected key: ");
  const char *missing = after(complaint->message, "Missing required mapping field: ");
  const char *repeated = after(complaint->message, "Mapping field already seen: ");
  const char *key = unknown != NULL ? unknown : missing != NULL ? missing : repeated;
  field_name(complaint, key, field);
  if (unknown != NULL) {
    return fail(path, complaint->line, field, "no such field in a config", error);
  }
  if (missing != NULL) {
    return fail(path, 0, field, "missing; a config gives every field", error);
  }
  if (repeated != NULL) {
    return fail(path, complaint->line, field, "given twice", error);
  }
  if (after(complaint->message, "Expecting STRING") != NULL) {
    return fail(path, complaint->line, field, "expected one value", error);
  }
  if (after(complaint->message, "Expecting MAPPING") != NULL) {
    return fail(path, complaint->line, field, "expected fields, NAME: VALUE", error);
  }
  return fail(path, complaint->line, field,
              complaint->message[0] != '\0' ? complaint->message : cyaml_strerror(status), error);
}

// Checks all values; the line of a refused one comes from loading once more.
static bool store_all(const char *path, const document_t *document, config_t *config,
                      char error[CONFIG_ERROR_BYTES]) {
  size_t index = 0;
  for (size_t s = 0; s < CONFIG_SECTIONS; ++s) {
    const config_param_t *param = config_sections[s].params();
    for (; param->name != NULL; ++param, ++index) {
      char reason[CONFIG_ERROR_BYTES];
      if (!config_store(config, param, document->value[index], reason)) {
        complaint_t complaint;
        document_t *again = NULL;
        load(path, index, &again, &complaint);
        char field[130];
        snprintf(field, sizeof field, "%.60s.%.60s", config_sections[s].name, param->name);
        return fail(path, complaint.line, field, reason, error);
      }
    }
  }
  return true;
}

static bool readable(const char *path, char error[CONFIG_ERROR_BYTES]) {
  struct stat status;
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return fail(path, 0, "", strerror(errno), error);
  }
  const bool regular = fstat(fileno(file), &status) == 0 && !S_ISDIR(status.st_mode);
  fclose(file);
  return regular || fail(path, 0, "", strerror(EISDIR), error);
}

bool config_load(const char *path, config_t *config, char error[CONFIG_ERROR_BYTES]) {
  complaint_t complaint;
  document_t *document = NULL;
  if (!readable(path, error)) {
    return false;
  }
  const cyaml_err_t status = load(path, CONFIG_PARAMS, &document, &complaint);
  bool good = status == CYAML_OK && document != NULL && complaint.message[0] == '\0';
  if (status == CYAML_OK && document == NULL) {
    fail(path, 0, "", "empty; a config gives every field", error);
  } else if (!good) {
    explain(path, status, &complaint, error);
  } else {
    memset(config, 0, sizeof *config);
    good = store_all(path, document, config, error);
  }
  cyaml_mem(NULL, document, 0);   // one block: every value is an array inside of it
  return good;
}
