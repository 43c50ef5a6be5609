// Reading a config file.  libcyaml checks its structure (unknown and repeated keys, nesting) and
// hands every value over as text, so that a file and --set go through the same checks: its own number
// parser takes "3z" for 3 and "010" for 8.  A file that includes another starts from that one's values.
// SPDX-License-Identifier: Apache-2.0
#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "config/config.h"
#include "config/config_table.h"

enum {
  CONFIG_SECTIONS = 0
#define SECTION(name, text) +1
#define PARAM(section, class, type, name, min, max, unit, text)
#define END_SECTION(name)
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION
};

// Texts of a document: all values in the order of config.def, and the name behind "include".
enum { INCLUDE = CONFIG_PARAMS, TEXTS, TEXT_BYTES = 128, PATH_BYTES = 4096 };

// libcyaml fills this; NULL: not given.
typedef struct document {
  char *text[TEXTS];
} document_t;

// The schema, built from the tables.
typedef struct schema {
  cyaml_schema_value_t top;
  cyaml_schema_field_t section[CONFIG_SECTIONS + 2];
  cyaml_schema_field_t param[CONFIG_PARAMS + CONFIG_SECTIONS];  // an empty one ends a section
} schema_t;

// A file being read, and how it came to that.
typedef struct source {
  const char *path;
  const struct source *includer;  // NULL: the one that was asked for
  dev_t device;
  ino_t inode;
} source_t;

// An error from libcyaml: a message, and a backtrace from the innermost field out.
typedef struct complaint {
  char message[160];
  char inner[64], outer[64];
  unsigned line;
} complaint_t;

static void describe_text(cyaml_schema_field_t *field, const char *key, size_t index, size_t refused) {
  field->key = key;
  field->data_offset = (uint32_t)(index * sizeof(char *));
  field->value.type = CYAML_STRING;
  field->value.flags = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL;
  field->value.data_size = sizeof(char);
  field->value.string.min = index == refused ? TEXT_BYTES : 0;
  field->value.string.max = TEXT_BYTES - 1;
}

// No text is acceptable at the index `refused` (TEXTS: none is singled out); loading with such a
// schema makes libcyaml say where that text is.
static void build_schema(schema_t *schema, size_t refused) {
  memset(schema, 0, sizeof *schema);
  cyaml_schema_field_t *section = schema->section, *field = schema->param;
  for (size_t i = 0; i < CONFIG_PARAMS; ++i) {
    if (i == 0 || strcmp(config_params[i].section, config_params[i - 1].section) != 0) {
      field += i == 0 ? 0 : 1;
      section->key = config_params[i].section;
      section->value.type = CYAML_MAPPING;
      section->value.flags = CYAML_FLAG_OPTIONAL;
      section->value.data_size = sizeof(document_t);
      section->value.mapping.fields = field;
      ++section;
    }
    describe_text(field++, config_params[i].name, i, refused);
  }
  describe_text(&schema->section[CONFIG_SECTIONS], "include", INCLUDE, refused);
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

static cyaml_config_t settings(complaint_t *complaint) {
  return (cyaml_config_t){.log_fn = note, .log_ctx = complaint, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_WARNING};
}

static cyaml_err_t load(const char *path, size_t refused, document_t **document, complaint_t *complaint) {
  schema_t schema;
  build_schema(&schema, refused);
  memset(complaint, 0, sizeof *complaint);
  const cyaml_config_t config = settings(complaint);
  cyaml_data_t *data = NULL;
  const cyaml_err_t status = cyaml_load_file(path, &config, &schema.top, &data, NULL);
  *document = data;
  return status;
}

static void release(document_t *document) {
  schema_t schema;
  complaint_t complaint;
  build_schema(&schema, TEXTS);
  const cyaml_config_t config = settings(&complaint);
  cyaml_free(&config, &schema.top, document, 0);
}

// "PATH:LINE: FIELD: REASON", each part if known.
static bool fail(const char *path, unsigned line, const char *field, const char *reason, base_error_t *error) {
  char where[16] = "";
  if (line != 0) {
    snprintf(where, sizeof where, ":%u", line);
  }
  return base_fail(error, "%.180s%s: %.80s%s%.220s", path, where, field, field[0] == '\0' ? "" : ": ", reason);
}

// A key's full name; where libcyaml names the key in its message, the backtrace has its neighbour.
static void field_name(complaint_t *complaint, const char *key, char field[130]) {
  if (key != NULL) {
    snprintf(complaint->inner, sizeof complaint->inner, "%.60s", key);
  }
  snprintf(field, 130, "%s%s%s", complaint->outer, complaint->outer[0] == '\0' ? "" : ".", complaint->inner);
}

static const char *after(const char *text, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static bool explain(const char *path, cyaml_err_t status, complaint_t *complaint, base_error_t *error) {
  char field[130];
  const char *unknown = after(complaint->message, "Unexpected key: ");
  const char *repeated = after(complaint->message, "Mapping field already seen: ");
  field_name(complaint, unknown != NULL ? unknown : repeated, field);
  if (unknown != NULL) {
    return fail(path, complaint->line, field, "no such field in a config", error);
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
  return fail(path, complaint->line, field, complaint->message[0] != '\0' ? complaint->message : cyaml_strerror(status),
              error);
}

// Refuses the text of that index; its line comes from loading once more.
static bool fail_at(const char *path, size_t index, const char *field, const char *reason, base_error_t *error) {
  complaint_t complaint;
  document_t *again = NULL;
  load(path, index, &again, &complaint);
  return fail(path, complaint.line, field, reason, error);
}

// Checks the values that are given; without an include, these are all.
static bool store_all(const char *path, const document_t *document, config_t *config, base_error_t *error) {
  for (size_t i = 0; i < CONFIG_PARAMS; ++i) {
    const config_param_t *param = &config_params[i];
    const char *text = document->text[i];
    base_error_t reason;
    char field[130];
    snprintf(field, sizeof field, "%.60s.%.60s", param->section, param->name);
    if (text == NULL && document->text[INCLUDE] == NULL) {
      return fail(path, 0, field, "missing; a config without `include` gives every field", error);
    }
    if (text != NULL && !config_store(config, param, text, &reason)) {
      return fail_at(path, i, field, reason.text, error);
    }
  }
  return true;
}

// Fills in which file it is.
static bool open_source(source_t *source, base_error_t *error) {
  struct stat status;
  FILE *file = input_open(source->path, error);
  if (file == NULL) {
    return false;
  }
  const bool good = fstat(fileno(file), &status) == 0;
  source->device = status.st_dev;
  source->inode = status.st_ino;
  fclose(file);
  return good || fail(source->path, 0, "", strerror(errno), error);
}

static bool is_among(const source_t *source, const source_t *list) {
  while (list != NULL && (source->device != list->device || source->inode != list->inode)) {
    list = list->includer;
  }
  return list != NULL;
}

// NAME: a machine of model/config; NAME.yaml: the file beside the one that includes it.
static bool find_included(const char *includer, const char *name, char path[PATH_BYTES]) {
  char found[PATH_BYTES];
  const char *slash = strrchr(includer, '/');
  const int folder = slash == NULL ? 0 : (int)(slash + 1 - includer);
  if (name[0] == '\0' || strchr(name, '/') != NULL || !config_find(name, found, sizeof found)) {
    return false;
  }
  const int length = snprintf(path, PATH_BYTES, "%.*s%s", strcmp(found, name) == 0 ? folder : 0, includer, found);
  return length < PATH_BYTES;
}

static bool load_source(const source_t *source, config_t *config, base_error_t *error);

static bool include(const source_t *includer, const char *name, config_t *config, base_error_t *error) {
  char path[PATH_BYTES];
  base_error_t reason;
  source_t source = {.path = path, .includer = includer};
  if (!find_included(includer->path, name, path)) {
    base_fail(&reason, "expected a machine's name or a file beside this one, without a folder, got '%s'", name);
  } else if (config_is_name(name) && access(path, F_OK) != 0) {
    config_no_such(name, &reason);
  } else if (!open_source(&source, &reason)) {
    // says which file, and why not
  } else if (is_among(&source, includer)) {
    base_fail(&reason, "a circle: '%s' is or includes this file", name);
  } else {
    return load_source(&source, config, error);
  }
  return fail_at(includer->path, INCLUDE, "include", reason.text, error);
}

static bool load_source(const source_t *source, config_t *config, base_error_t *error) {
  complaint_t complaint;
  document_t *document = NULL;
  const cyaml_err_t status = load(source->path, TEXTS, &document, &complaint);
  bool good = false;
  if (status == CYAML_OK && document == NULL) {
    fail(source->path, 0, "", "empty; expected `include` or every field", error);
  } else if (status != CYAML_OK || complaint.message[0] != '\0') {
    explain(source->path, status, &complaint, error);
  } else {
    const char *name = document->text[INCLUDE];
    good = (name == NULL || include(source, name, config, error)) && store_all(source->path, document, config, error);
  }
  release(document);
  return good;
}

bool config_load(const char *path, config_t *config, base_error_t *error) {
  source_t source = {.path = path};
  memset(config, 0, sizeof *config);
  return open_source(&source, error) && load_source(&source, config, error);
}

bool config_open(const char *name, config_t *config, base_error_t *error) {
  char path[PATH_BYTES];
  if (!config_find(name, path, sizeof path)) {
    return base_fail(error, "%.40s...: name too long", name);
  }
  if (config_is_name(name) && access(path, F_OK) != 0) {
    config_no_such(name, error);
    return false;
  }
  return config_load(path, config, error);
}
