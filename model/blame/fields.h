// The fields of commands by name: what commands.def says, as a table.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_FIELDS_H
#define AMALGAM_BLAME_FIELDS_H

#include "core/core.h"

typedef enum blame_field_kind {
  BLAME_COUNT,  // rows, columns
  BLAME_PITCH,
  BLAME_SWITCH,  // 0 or 1
  BLAME_TYPE,    // TYPE_*
  BLAME_OPERATION,
  BLAME_SCALAR,   // FP32 bits
  BLAME_ADDRESS,  // in a buffer of a core
  BLAME_GLOBAL,   // in global memory
  BLAME_OTHER,
} blame_field_kind_t;

typedef struct blame_field {
  unsigned opcode;
  const char *name;
  size_t offset, bytes;  // in command_t
  blame_field_kind_t kind;
  core_space_t space;  // of an ADDRESS
} blame_field_t;

// Field i of all commands', NULL: there are no more.
const blame_field_t *blame_field(size_t i);
uint64_t blame_field_get(const blame_field_t *field, const command_t *command);
void blame_field_set(const blame_field_t *field, command_t *command, uint64_t value);

#endif
