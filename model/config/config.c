// The tables of parameters, and the one place that turns text into a checked value.
// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "config/config_table.h"

// A function a section, because inside of it the section's offset has a name.
#define SECTION(section, text)                             \
  static const config_param_t *params_##section(void) {    \
    typedef config_##section##_t section_t;                \
    enum { SECTION_OFFSET = offsetof(config_t, section) }; \
    static const config_param_t list[] = {
#define PARAM(type, name, min, max, unit, text) \
  {#name, CONFIG_TYPE_##type, (min), (max), SECTION_OFFSET + offsetof(section_t, name)},
#define END_SECTION(section)          \
  { NULL, CONFIG_TYPE_uint, 0, 0, 0 } \
  }                                   \
  ;                                   \
  return list;                        \
  }
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION

const config_section_t config_sections[CONFIG_SECTIONS] = {
#define SECTION(name, text) {#name, params_##name},
#define PARAM(type, name, min, max, unit, text)
#define END_SECTION(name)
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION
};

static bool parse_whole(const char *text, double *value) {
  uint64_t number;
  const bool good = parse_count(text, &number);
  *value = good ? (double)number : 0;
  return good;
}

static bool power_of_two(double value) {
  int exponent;
  return frexp(value, &exponent) == 0.5;
}

bool config_store(config_t *config, const config_param_t *param, const char *value, char error[CONFIG_ERROR_BYTES]) {
  const bool whole = param->type == CONFIG_TYPE_uint;
  double number = 0;
  if (!(whole ? parse_whole : parse_real)(value, &number) || number < param->min || number > param->max) {
    snprintf(error, CONFIG_ERROR_BYTES, "expected a %s from %.8g to %.8g, got '%.40s'%s",
             whole ? "whole number" : "number", param->min, param->max, value, parse_hint(value));
    return false;
  }
  if (param->offset == offsetof(config_t, gm.slice_bytes) && !power_of_two(number)) {
    snprintf(error, CONFIG_ERROR_BYTES, "expected a power of two, got '%.40s'", value);
    return false;
  }
  char *field = (char *)config + param->offset;
  if (whole) {
    const config_uint_t stored = (config_uint_t)number;
    memcpy(field, &stored, sizeof stored);
  } else {
    const config_real_t stored = number;
    memcpy(field, &stored, sizeof stored);
  }
  return true;
}

static const config_section_t *find_section(const char *name, size_t length) {
  for (size_t i = 0; i < CONFIG_SECTIONS; ++i) {
    if (strlen(config_sections[i].name) == length && memcmp(config_sections[i].name, name, length) == 0) {
      return &config_sections[i];
    }
  }
  return NULL;
}

static const config_param_t *find_param(const config_section_t *section, const char *name, size_t length) {
  for (const config_param_t *param = section->params(); param->name != NULL; ++param) {
    if (strlen(param->name) == length && memcmp(param->name, name, length) == 0) {
      return param;
    }
  }
  return NULL;
}

bool config_set(config_t *config, const char *assignment, char error[CONFIG_ERROR_BYTES]) {
  const char *equals = strchr(assignment, '=');
  const char *dot = strchr(assignment, '.');
  if (equals == NULL || dot == NULL || dot > equals) {
    snprintf(error, CONFIG_ERROR_BYTES, "expected SECTION.NAME=VALUE, got '%.100s'", assignment);
    return false;
  }
  const config_section_t *section = find_section(assignment, (size_t)(dot - assignment));
  const config_param_t *param = section == NULL ? NULL : find_param(section, dot + 1, (size_t)(equals - dot - 1));
  if (param == NULL) {
    snprintf(error, CONFIG_ERROR_BYTES, "%.*s: no such field in a config",
             (int)(equals - assignment < 100 ? equals - assignment : 100), assignment);
    return false;
  }
  char reason[CONFIG_ERROR_BYTES];
  if (!config_store(config, param, equals + 1, reason)) {
    snprintf(error, CONFIG_ERROR_BYTES, "%s.%s: %.400s", section->name, param->name, reason);
    return false;
  }
  return true;
}
