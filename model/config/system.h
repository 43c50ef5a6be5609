// A system: several dies, each a machine with memory of its own, and the links between them.
//
//   machine: ascend910_die
//   dies: 16
//   window_mb: 1024
//   levels:                     # from the nearest neighbours outwards
//     - name: package
//       topology: mesh          # a link from each die to each other
//       dies: 2
//       ...
//     - name: node
//       topology: switched      # a port for each die, into a switch that holds nothing up
//       dies: 16
//       ...
//
// A message takes the first level that joins both dies.  If that is switched, it takes its dies' ports there, and those
// of the switched levels before.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CONFIG_SYSTEM_H
#define AMALGAM_CONFIG_SYSTEM_H

#include "config/config.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SYSTEM_LEVELS = 4, SYSTEM_NAME_BYTES = 64 };

typedef enum system_topology { SYSTEM_MESH, SYSTEM_SWITCHED } system_topology_t;

typedef struct system_level {
  char name[SYSTEM_NAME_BYTES];
  system_topology_t topology;
#define LEVEL_PARAM(type, name, min, max, unit, text) config_##type##_t name;
#include "config/system.def"
} system_level_t;

typedef struct system {
  char machine[SYSTEM_NAME_BYTES];  // of which each die is one
#define SYSTEM_PARAM(type, name, min, max, unit, text) config_##type##_t name;
#include "config/system.def"
  size_t levels;
  system_level_t level[SYSTEM_LEVELS];
} system_t;

// Reads and checks the system that NAME stands for: a file, or model/config/systems/NAME.yaml.  False: error has one
// line that names the file, the field and what was expected.
__attribute__((warn_unused_result)) bool system_open(const char *name, system_t *system, base_error_t *error);

// The level that two dies, which are not the same, reach each other by.
size_t system_level_of(const system_t *system, unsigned die, unsigned other);

#ifdef __cplusplus
}
#endif

#endif
