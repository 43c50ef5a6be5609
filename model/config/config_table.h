// Internal to model/config: the parameters of config.def as tables, one a section.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CONFIG_CONFIG_TABLE_H
#define AMALGAM_CONFIG_CONFIG_TABLE_H

#include "config/config.h"

typedef enum config_type { CONFIG_TYPE_uint, CONFIG_TYPE_real } config_type_t;

typedef struct config_param {
  const char *name;
  config_type_t type;
  double min, max;
  size_t offset;  // in config_t
} config_param_t;

typedef struct config_section {
  const char *name;
  const config_param_t *(*params)(void);  // ends with a NULL name
} config_section_t;

// Sizes of the tables.
enum {
  CONFIG_SECTIONS = 0
#define SECTION(name, text) +1
#define PARAM(type, name, min, max, unit, text)
#define END_SECTION(name)
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION
};
enum {
  CONFIG_PARAMS = 0
#define SECTION(name, text)
#define PARAM(type, name, min, max, unit, text) +1
#define END_SECTION(name)
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION
};

extern const config_section_t config_sections[CONFIG_SECTIONS];

// Parses and checks one value and stores it.  False: *config is unchanged and error says what was
// expected and what came: "expected a whole number from 1 to 256, got '3z'".
bool config_store(config_t *config, const config_param_t *param, const char *value, char error[CONFIG_ERROR_BYTES]);

#endif
