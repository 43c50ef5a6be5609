// Cycles a command keeps its pipe busy.
// SPDX-License-Identifier: Apache-2.0
#include "core/core_internal.h"

static uint64_t transfer(uint64_t bytes, double bytes_per_cycle) {
  const uint64_t cycles = core_whole_cycles((double)bytes / bytes_per_cycle);
  return cycles > 0 ? cycles : 1;
}

uint32_t core_gm_op(const command_t *command) {
  const unsigned opcode = command->header.opcode_;
  return opcode == OP_FIXPIPE ? command->fixpipe.op : opcode == OP_COPY_OUT ? command->copy_out.op : (uint32_t)GM_STORE;
}

bool core_is_atomic(const command_t *command) { return core_gm_op(command) != GM_STORE; }

#define COST_NONE(name, entry) return false;
#define COST_FIXED(name, entry) return false;
#define COST_BYTES(name, entry) return false;
#define COST_OWN(name, entry) return false;
#define COST_GBPS(name, entry)                       \
  move->bytes = core_##name##_bytes(&command->name); \
  gbps = config->entry;                              \
  break;

bool core_moves(const config_t *config, const command_t *command, core_move_t *move) {
  double gbps;
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    COST_##cost(name, entry)
#include "hal/commands.def"
    default:
      return false;
  }
  move->store = core_command_class(command->header.opcode_) == CLASS_STORE;
  move->bytes_per_cycle = config_bytes_per_cycle(config, gbps);
  return true;
}

#undef COST_NONE
#undef COST_FIXED
#undef COST_BYTES
#undef COST_OWN
#undef COST_GBPS
#define COST_NONE(name, entry) 0
#define COST_FIXED(name, entry) config->entry
#define COST_BYTES(name, entry) transfer(core_##name##_bytes(&command->name), config->entry)
#define COST_GBPS(name, entry) \
  transfer(core_##name##_bytes(&command->name), config_bytes_per_cycle(config, config->entry))
#define COST_OWN(name, entry) core_##name##_cycles(config, &command->name)

uint64_t core_cycles(const config_t *config, const command_t *command) {
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    return COST_##cost(name, entry);
#include "hal/commands.def"
    default:
      return 0;
  }
}

uint64_t core_flops(const command_t *command) {
  const cmd_mmad_t *c = &command->mmad;
  return command->header.opcode_ == OP_MMAD ? (uint64_t)2 * c->m * c->n * c->k : 0;
}
