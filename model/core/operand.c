// The bytes of a command's operands: the one description that checks, accesses and costs use.
// SPDX-License-Identifier: Apache-2.0
#include "core/core_internal.h"

#define DATA_NONE(name) 0
#define DATA_READ(name) core_##name##_operands(&command->name, operand)
#define DATA_COPY(name) DATA_READ(name)
#define DATA_MOVE(name) DATA_READ(name)
#define DATA_COMPUTE(name) DATA_READ(name)
#define DATA_LANES(name) DATA_READ(name)

size_t core_operands(const command_t *command, core_operand_t operand[CORE_MAX_ACCESSES]) {
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    return DATA_##data(name);
#include "hal/commands.def"
    default:
      return 0;
  }
}

size_t core_accesses(const command_t *command, core_access_t access[CORE_MAX_ACCESSES]) {
  core_operand_t operand[CORE_MAX_ACCESSES];
  const size_t count = core_operands(command, operand);
  for (size_t i = 0; i < count; ++i) {
    access[i] = operand[i].access;
    // Rows that lie end to end are one run of bytes, which is faster to compare.
    if (access[i].pitch == access[i].row_bytes) {
      access[i].row_bytes *= access[i].rows;
      access[i].pitch = access[i].row_bytes;
      access[i].rows = 1;
    }
  }
  return count;
}
