// A machine's parameters, generated from config.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CONFIG_CONFIG_H
#define AMALGAM_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t config_uint_t;
typedef double config_real_t;

#define SECTION(name, text) typedef struct config_##name {
#define PARAM(section, class, type, name, min, max, unit, text) config_##type##_t name;
#define END_SECTION(name) \
  }                       \
  config_##name##_t;
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION

typedef struct config {
#define SECTION(name, text) config_##name##_t name;
#define PARAM(section, class, type, name, min, max, unit, text)
#define END_SECTION(name)
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION
} config_t;

// What is faster: TIME if it is less, RATE if it is more. SIZE: how much there is.
typedef enum config_class { CONFIG_TIME, CONFIG_RATE, CONFIG_SIZE, CONFIG_FIXED } config_class_t;

typedef struct config_param {
  const char *section, *name;
  config_class_t class_;
  bool whole;  // a config_uint_t, else a config_real_t
  double min, max;
  size_t offset;  // in config_t
  const char *unit, *text;
} config_param_t;

enum {
  CONFIG_PARAMS = 0
#define SECTION(name, text)
#define PARAM(section, class, type, name, min, max, unit, text) +1
#define END_SECTION(name)
#include "config/config.def"
#undef SECTION
#undef PARAM
#undef END_SECTION
};

// All, in the order of config.def.
extern const config_param_t config_params[CONFIG_PARAMS];

// The parameter "section.name", NULL: there is none. The name may end earlier than its text.
const config_param_t *config_param(const char *name, size_t length);

double config_value(const config_t *config, const config_param_t *param);

// The source tree this program was built from, or $AMALGAM_HOME.
const char *config_home(void);

// Is it a machine's name?  Else it is a file: it has a slash, or ends in .yaml.
bool config_is_name(const char *name);

// The file that NAME stands for: NAME itself if it looks like a file, else
// model/config/NAME.yaml of the source tree.  False: it does not fit into path.
__attribute__((warn_unused_result)) bool config_find(const char *name, char *path, size_t size);

// One line about a NAME that is none of these: which there are, and which may have been meant.
void config_no_such(const char *name, base_error_t *error);

// The machine that NAME stands for, found and loaded.  False: as config_load.
__attribute__((warn_unused_result)) bool config_open(const char *name, config_t *config, base_error_t *error);

// Reads and checks a YAML file.  It gives every value, or begins from another machine's, `include:
// NAME` (model/config/NAME.yaml) or `include: NAME.yaml` (the file beside it), and gives what differs.
// False: *config is unspecified and error holds one line that names the file in which the mistake
// stands, the field and what was expected.
__attribute__((warn_unused_result)) bool config_load(const char *path, config_t *config, base_error_t *error);

// Applies "section.name=value" with the same checks.  False: *config is unchanged.
__attribute__((warn_unused_result)) bool config_set(config_t *config, const char *assignment, base_error_t *error);

// GB/s and microseconds in the machine's cycles.
static inline double config_bytes_per_cycle(const config_t *config, double gbps) {
  return gbps * 1e3 / config->soc.clock_mhz;
}
static inline uint64_t config_cycles(const config_t *config, double us) {
  return (uint64_t)(us * config->soc.clock_mhz + 0.5);
}

#ifdef __cplusplus
}
#endif

#endif
