// The tables of parameters, and the one place that turns text into a checked value.
// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "config/config_table.h"

enum { WHOLE_uint = true, WHOLE_real = false };

const config_param_t config_params[CONFIG_PARAMS] = {
#define SECTION(name, text)
#define PARAM(section, class, type, name, min, max, unit, text) \
  {#section, #name, CONFIG_##class, WHOLE_##type, (min), (max), offsetof(config_t, section.name), unit, text},
#define END_SECTION(name)
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION
};

const config_param_t *config_param(const char *name, size_t length) {
  for (size_t i = 0; i < CONFIG_PARAMS; ++i) {
    const config_param_t *param = &config_params[i];
    const size_t section = strlen(param->section);
    if (length == section + 1 + strlen(param->name) && memcmp(name, param->section, section) == 0 &&
        name[section] == '.' && memcmp(name + section + 1, param->name, length - section - 1) == 0) {
      return param;
    }
  }
  return NULL;
}

double config_value(const config_t *config, const config_param_t *param) {
  const char *field = (const char *)config + param->offset;
  return param->whole ? *(const config_uint_t *)(const void *)field : *(const config_real_t *)(const void *)field;
}

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

bool config_number(const char *text, bool whole, double min, double max, double *number, base_error_t *error) {
  return ((whole ? parse_whole : parse_real)(text, number) && *number >= min && *number <= max) ||
         base_fail(error, "expected a %s from %.8g to %.8g, got '%.40s'%s", whole ? "whole number" : "number", min, max,
                   text, parse_hint(text));
}

bool config_store(config_t *config, const config_param_t *param, const char *value, base_error_t *error) {
  const bool whole = param->whole;
  double number = 0;
  if (!config_number(value, whole, param->min, param->max, &number, error)) {
    return false;
  }
  if (param->offset == offsetof(config_t, gm.slice_bytes) && !power_of_two(number)) {
    return base_fail(error, "expected a power of two, got '%.40s'", value);
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

bool config_set(config_t *config, const char *assignment, base_error_t *error) {
  const char *equals = strchr(assignment, '=');
  const char *dot = strchr(assignment, '.');
  if (equals == NULL || dot == NULL || dot > equals) {
    return base_fail(error, "expected SECTION.NAME=VALUE, got '%.100s'", assignment);
  }
  const config_param_t *param = config_param(assignment, (size_t)(equals - assignment));
  if (param == NULL) {
    return base_fail(error, "%.*s: no such field in a config",
                     (int)(equals - assignment < 100 ? equals - assignment : 100), assignment);
  }
  base_error_t reason;
  if (!config_store(config, param, equals + 1, &reason)) {
    return base_fail(error, "%s.%s: %.400s", param->section, param->name, reason.text);
  }
  return true;
}
