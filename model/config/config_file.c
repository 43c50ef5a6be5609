// Reading a config file.  libcyaml checks its structure (unknown and repeated keys, nesting) and
// hands every value over as text, so that a file and --set go through the same checks: its own number
// parser takes "3z" for 3 and "010" for 8.  A file that includes another starts from that one's values.
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "config/config.h"
#include "config/config_table.h"
#include "config/config_yaml.h"

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

static cyaml_err_t load(const char *path, size_t refused, document_t **document, config_complaint_t *complaint) {
  schema_t schema;
  build_schema(&schema, refused);
  memset(complaint, 0, sizeof *complaint);
  const cyaml_config_t config = config_yaml_settings(complaint);
  cyaml_data_t *data = NULL;
  const cyaml_err_t status = cyaml_load_file(path, &config, &schema.top, &data, NULL);
  *document = data;
  return status;
}

static void release(document_t *document) {
  schema_t schema;
  config_complaint_t complaint;
  build_schema(&schema, TEXTS);
  const cyaml_config_t config = config_yaml_settings(&complaint);
  cyaml_free(&config, &schema.top, document, 0);
}

// Refuses the text of that index; its line comes from loading once more.
static bool fail_at(const char *path, size_t index, const char *field, const char *reason, base_error_t *error) {
  config_complaint_t complaint;
  document_t *again = NULL;
  load(path, index, &again, &complaint);
  return config_yaml_fail(path, complaint.line, field, reason, error);
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
      return config_yaml_fail(path, 0, field, "missing; a config without `include` gives every field", error);
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
  return good || config_yaml_fail(source->path, 0, "", strerror(errno), error);
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
  config_complaint_t complaint;
  document_t *document = NULL;
  const cyaml_err_t status = load(source->path, TEXTS, &document, &complaint);
  bool good = false;
  if (status == CYAML_OK && document == NULL) {
    config_yaml_fail(source->path, 0, "", "empty; expected `include` or every field", error);
  } else if (status != CYAML_OK || complaint.message[0] != '\0') {
    config_yaml_explain(source->path, "config", status, &complaint, error);
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
