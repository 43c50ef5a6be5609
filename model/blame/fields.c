// SPDX-License-Identifier: Apache-2.0
#include "blame/fields.h"

#include <string.h>

typedef struct known {
  const char *name;
  blame_field_kind_t kind;
  core_space_t space;
} known_t;

static const known_t known[] = {
    {"m", BLAME_COUNT, 0},
    {"n", BLAME_COUNT, 0},
    {"k", BLAME_COUNT, 0},
    {"rows", BLAME_COUNT, 0},
    {"cols", BLAME_COUNT, 0},
    {"row_bytes", BLAME_COUNT, 0},
    {"gm_pitch", BLAME_PITCH, 0},
    {"l1_pitch", BLAME_PITCH, 0},
    {"l0_pitch", BLAME_PITCH, 0},
    {"ub_pitch", BLAME_PITCH, 0},
    {"dst_pitch", BLAME_PITCH, 0},
    {"a_pitch", BLAME_PITCH, 0},
    {"b_pitch", BLAME_PITCH, 0},
    {"c_pitch", BLAME_PITCH, 0},
    {"transpose", BLAME_SWITCH, 0},
    {"accumulate", BLAME_SWITCH, 0},
    {"strips", BLAME_SWITCH, 0},
    {"round", BLAME_SWITCH, 0},
    {"b_kind", BLAME_SWITCH, 0},
    {"type", BLAME_TYPE, 0},
    {"from", BLAME_TYPE, 0},
    {"to", BLAME_TYPE, 0},
    {"op", BLAME_OPERATION, 0},
    {"scalar", BLAME_SCALAR, 0},
    {"gm", BLAME_GLOBAL, 0},
    {"l1", BLAME_ADDRESS, SPACE_L1},
    {"l0a", BLAME_ADDRESS, SPACE_L0A},
    {"l0b", BLAME_ADDRESS, SPACE_L0B},
    {"l0c", BLAME_ADDRESS, SPACE_L0C},
    {"ub", BLAME_ADDRESS, SPACE_UB},
    {"dst", BLAME_ADDRESS, SPACE_UB},
    {"a", BLAME_ADDRESS, SPACE_UB},
    {"b", BLAME_ADDRESS, SPACE_UB},
    {"c", BLAME_ADDRESS, SPACE_UB},
};

enum { FIELDS_MOST = 256 };
static blame_field_t table[FIELDS_MOST];
static size_t fields;

static void add(unsigned opcode, const char *name, size_t offset, size_t bytes) {
  blame_field_t *field = &table[fields++];
  *field = (blame_field_t){opcode, name, offset, bytes, BLAME_OTHER, SPACE_GM};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (strcmp(known[i].name, name) == 0) {
      field->kind = known[i].kind;
      field->space = known[i].space;
    }
  }
}

static void fill(void) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  {                                                                       \
    typedef cmd_##name##_t command;                                       \
    const unsigned opcode = OP_##NAME;                                    \
    (void)sizeof(command);                                                \
    (void)opcode;
#define FIELD(type, field, text) add(opcode, #field, offsetof(command, field), sizeof(type));
#define END_COMMAND(name) }
#include "hal/commands.def"
}

const blame_field_t *blame_field(size_t i) {
  if (fields == 0) {
    fill();
  }
  return i < fields ? &table[i] : NULL;
}

uint64_t blame_field_get(const blame_field_t *field, const command_t *command) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (field->bytes == sizeof wide) {
    memcpy(&wide, (const char *)command + field->offset, sizeof wide);
    return wide;
  }
  memcpy(&narrow, (const char *)command + field->offset, sizeof narrow);
  return narrow;
}

void blame_field_set(const blame_field_t *field, command_t *command, uint64_t value) {
  const uint32_t narrow = (uint32_t)value;
  if (field->bytes == sizeof value) {
    memcpy((char *)command + field->offset, &value, sizeof value);
  } else {
    memcpy((char *)command + field->offset, &narrow, sizeof narrow);
  }
}
