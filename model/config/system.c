// Reading a system file.  As with a machine's, libcyaml checks its structure and hands every value over as text.
// SPDX-License-Identifier: Apache-2.0
#include "config/system.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/input.h"
#include "base/parse.h"
#include "config/config_table.h"
#include "config/config_yaml.h"

enum { PATH_BYTES = 4096, FIELD_BYTES = 100 };

// --- the texts of a file ----------------------------------------------------------------------

typedef struct level_texts {
  char *name, *topology;
#define LEVEL_PARAM(type, name, min, max, unit, text) char *name;
#include "config/system.def"
} level_texts_t;

typedef struct texts {
  char *machine;
#define SYSTEM_PARAM(type, name, min, max, unit, text) char *name;
#include "config/system.def"
  level_texts_t *levels;
  unsigned levels_count;
} texts_t;

#define TEXT(struct, name) \
  CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct, name, 0, SYSTEM_NAME_BYTES - 1),

static const cyaml_schema_field_t level_fields[] = {TEXT(level_texts_t, name) TEXT(level_texts_t, topology)
#define LEVEL_PARAM(type, name, min, max, unit, text) TEXT(level_texts_t, name)
#include "config/system.def"
                                                        CYAML_FIELD_END};

static const cyaml_schema_value_t level_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, level_texts_t, level_fields)};

static const cyaml_schema_field_t fields[] = {
    TEXT(texts_t, machine)
#define SYSTEM_PARAM(type, name, min, max, unit, text) TEXT(texts_t, name)
#include "config/system.def"
        CYAML_FIELD_SEQUENCE("levels", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, texts_t, levels, &level_schema, 0,
                             SYSTEM_LEVELS),
    CYAML_FIELD_END};

static const cyaml_schema_value_t schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, texts_t, fields)};

// --- values -----------------------------------------------------------------------------------

// A file that is being taken in, and the place in it.
typedef struct reader {
  const char *path;
  const char *level;  // "levels[1]."
  base_error_t *error;
} reader_t;

static bool wrong(const reader_t *reader, const char *field, const char *reason) {
  char name[FIELD_BYTES];
  snprintf(name, sizeof name, "%s%s", reader->level, field);
  return config_yaml_fail(reader->path, 0, name, reason, reader->error);
}

static bool take_number(const reader_t *reader, const char *field, const char *text, bool whole, double min, double max,
                        double *value) {
  base_error_t reason;
  return text == NULL ? wrong(reader, field, "missing; a system gives every field")
                      : config_number(text, whole, min, max, value, &reason) || wrong(reader, field, reason.text);
}

#define TAKE_uint(field, low, high)                                                                               \
  (take_number(reader, #field, from->field, true, low, high, &number) ? (to->field = (config_uint_t)number, true) \
                                                                      : false)
#define TAKE_real(field, low, high) take_number(reader, #field, from->field, false, low, high, &to->field)

static bool take_level(const reader_t *reader, const level_texts_t *from, system_level_t *to) {
  double number;
  if (from->name == NULL) {
    return wrong(reader, "name", "missing; a system gives every field");
  }
  const int topology = from->topology == NULL ? -1 : parse_choice(from->topology, "mesh|switched");
  if (topology < 0) {
    return wrong(reader, "topology", "expected mesh or switched");
  }
  to->topology = (system_topology_t)topology;
  snprintf(to->name, sizeof to->name, "%s", from->name);
  return true
#define LEVEL_PARAM(type, name, min, max, unit, text) &&TAKE_##type(name, min, max)
#include "config/system.def"
      ;
}

static bool take_system(const reader_t *reader, const texts_t *from, system_t *to) {
  double number;
  if (from->machine == NULL) {
    return wrong(reader, "machine", "missing; expected a machine's name");
  }
  snprintf(to->machine, sizeof to->machine, "%s", from->machine);
  return true
#define SYSTEM_PARAM(type, name, min, max, unit, text) &&TAKE_##type(name, min, max)
#include "config/system.def"
      ;
}

// Each level joins whole groups of the one before, and the last one all dies.
static bool take_levels(const char *path, const texts_t *from, system_t *to, base_error_t *error) {
  unsigned joined = 1;
  for (unsigned i = 0; i < from->levels_count; ++i) {
    char level[24], reason[100];
    snprintf(level, sizeof level, "levels[%u].", i);
    const reader_t reader = {path, level, error};
    if (!take_level(&reader, &from->levels[i], &to->level[i])) {
      return false;
    }
    const unsigned dies = to->level[i].dies;
    if (dies <= joined || dies % joined != 0) {
      snprintf(reason, sizeof reason, "expected a multiple of %u and more than that, got %u", joined, dies);
      return wrong(&reader, "dies", reason);
    }
    joined = dies;
  }
  to->levels = from->levels_count;
  const reader_t reader = {path, "", error};
  return joined == to->dies || wrong(&reader, "levels", "expected one or more, of which the last joins all dies");
}

static bool take(const char *path, const texts_t *texts, system_t *system, base_error_t *error) {
  const reader_t reader = {path, "", error};
  memset(system, 0, sizeof *system);
  return take_system(&reader, texts, system) && take_levels(path, texts, system, error);
}

// --- files ------------------------------------------------------------------------------------

static bool load(const char *path, system_t *system, base_error_t *error) {
  config_complaint_t complaint = {.line = 0};
  const cyaml_config_t settings = config_yaml_settings(&complaint);
  cyaml_data_t *data = NULL;
  FILE *file = input_open(path, error);  // says why it cannot be read
  if (file == NULL) {
    return false;
  }
  fclose(file);
  const cyaml_err_t status = cyaml_load_file(path, &settings, &schema, &data, NULL);
  bool good = false;
  if (status == CYAML_OK && data == NULL) {
    config_yaml_fail(path, 0, "", "empty; expected a system", error);
  } else if (status != CYAML_OK || complaint.message[0] != '\0') {
    config_yaml_explain(path, "system", status, &complaint, error);
  } else {
    good = take(path, data, system, error);
  }
  cyaml_free(&settings, &schema, data, 0);
  return good;
}

bool system_open(const char *name, system_t *system, base_error_t *error) {
  char path[PATH_BYTES];
  const bool named = config_is_name(name);
  const int length = named ? snprintf(path, sizeof path, "%s/model/config/systems/%s.yaml", config_home(), name)
                           : snprintf(path, sizeof path, "%s", name);
  if (length < 0 || (size_t)length >= sizeof path) {
    return base_fail(error, "%.40s...: name too long", name);
  }
  if (named && access(path, F_OK) != 0) {
    config_no_such_in("/systems", "system", name, error);
    return false;
  }
  return load(path, system, error);
}

size_t system_level_of(const system_t *system, unsigned die, unsigned other) {
  size_t level = 0;
  while (level + 1 < system->levels && die / system->level[level].dies != other / system->level[level].dies) {
    ++level;
  }
  return level;
}
