// SPDX-License-Identifier: Apache-2.0
#include "core/core_internal.h"

#define DATA_NONE(name)
#define DATA_READ(name)
#define DATA_COPY(name) core_##name##_execute(memory, &command->name);
#define DATA_MOVE(name) DATA_COPY(name)
#define DATA_COMPUTE(name) DATA_COPY(name)
#define DATA_LANES(name) DATA_COPY(name)

void core_execute(const core_memory_t *memory, const command_t *command) {
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    DATA_##data(name) break;
#include "hal/commands.def"
    default:
      break;
  }
}
