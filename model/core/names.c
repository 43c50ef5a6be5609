// Names and rows of commands, pipes, kinds of cores and types, as the .def files have them.
// SPDX-License-Identifier: Apache-2.0
#include "core/core_internal.h"

static const char *const pipe_names[PIPE_COUNT] = {
#define PIPE(name, code, cores, text) [code] = #name,
#include "hal/pipes.def"
};

static const char *const command_names[OP_COUNT] = {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) [OP_##NAME] = #NAME,
#include "hal/commands.def"
};

static const char *const space_names[SPACE_COUNT] = {
    [SPACE_GM] = "GM", [SPACE_L1] = "L1", [SPACE_L0A] = "L0A", [SPACE_L0B] = "L0B",           [SPACE_L0C] = "L0C",
    [SPACE_UB] = "UB", [SPACE_KV] = "KV", [SPACE_EB] = "EB",   [SPACE_PAIR_L1] = "pair's L1",
};

static const char *const vector_op_names[VOP_COUNT] = {
#define VOP(NAME, name, cost, form, types, value, follow, text) [VOP_##NAME] = #NAME,
#include "hal/vector_ops.def"
};

static const char *const instruction_names[VI_COUNT] = {
#define VI(NAME, name, cost, form, types, value, follow, text) [VI_##NAME] = #NAME,
#include "hal/vector_instructions.def"
};

static const char *lookup(const char *const *names, uint64_t count, uint64_t i) { return i < count ? names[i] : "?"; }

const char *core_pipe_name(unsigned pipe) { return lookup(pipe_names, PIPE_COUNT, pipe); }

typedef struct row {
  unsigned cores, pipes;
  core_class_t class;
  core_data_t data;
} row_t;

static const row_t rows[OP_COUNT] = {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  [OP_##NAME] = {cores, pipes, CLASS_##class, DATA_##data},
#include "hal/commands.def"
};

unsigned core_command_cores(unsigned opcode) { return opcode < OP_COUNT ? rows[opcode].cores : 0; }
unsigned core_command_pipes(unsigned opcode) { return opcode < OP_COUNT ? rows[opcode].pipes : 0; }
core_class_t core_command_class(unsigned opcode) { return rows[opcode].class; }
core_data_t core_command_data(unsigned opcode) { return rows[opcode].data; }

bool core_command_waits(unsigned opcode) {
  switch (core_command_class(opcode)) {
    case CLASS_FLAG_WAIT:
    case CLASS_CROSS_WAIT:
    case CLASS_BARRIER:
    case CLASS_SYNC:
    case CLASS_LOOK:
      return true;
    case CLASS_SET:
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_ENGINE:
    case CLASS_LOCAL:
      break;
  }
  return false;
}

bool core_holds_program(const command_t *command) {
  const unsigned opcode = command->header.opcode_;
  return core_reads_value(command) ||
         (command->header.pipe_ == PIPE_S && opcode != OP_MARK && core_command_waits(opcode));
}

bool core_names_scalar(const command_t *command) {
  const unsigned opcode = command->header.opcode_;
  return command->header.pipe_ == PIPE_S || (opcode == OP_SET_FLAG && command->set_flag.to == PIPE_S) ||
         (opcode == OP_WAIT_FLAG && command->wait_flag.from == PIPE_S);
}

const char *core_kind_name(core_kind_t kind) {
  static const char *const names[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) #name,
#include "hal/core_kinds.def"
  };
  return names[kind];
}

bool core_has_pipe(core_kind_t kind, unsigned pipe) {
  static const unsigned cores_of[PIPE_COUNT] = {
#define PIPE(name, code, cores, text) [code] = (cores),
#include "hal/pipes.def"
  };
  return pipe < PIPE_COUNT && (cores_of[pipe] >> kind & 1) != 0;
}

unsigned core_kind_groups(core_kind_t kind, const config_soc_t *soc) {
  const unsigned counts[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) soc->groups,
#include "hal/core_kinds.def"
  };
  return counts[kind];
}

unsigned core_kind_count(core_kind_t kind, const config_soc_t *soc) {
  const unsigned in_each[CORE_KIND_COUNT] = {
#define CORE_KIND(NAME, name, text, groups, each) (each),
#include "hal/core_kinds.def"
  };
  return core_kind_groups(kind, soc) * in_each[kind];
}

const char *core_command_name(unsigned opcode) { return lookup(command_names, OP_COUNT, opcode); }
const char *core_space_name(core_space_t space) { return lookup(space_names, SPACE_COUNT, (uint64_t)space); }
const char *core_operation_name(unsigned opcode, uint32_t op) {
  return opcode == OP_VEC && op < VOP_COUNT    ? vector_op_names[op]
         : opcode == OP_VINST && op < VI_COUNT ? instruction_names[op]
                                               : NULL;
}

uint32_t core_operation(const command_t *command) {
  const unsigned opcode = command->header.opcode_;
  return opcode == OP_VEC ? command->vec.op : opcode == OP_VINST ? command->vinst.op : 0;
}

static const struct {
  const char *name;
  unsigned bits;
} types[CORE_TYPE_COUNT] = {
#define TYPE(name, bits, text) [TYPE_##name] = {#name, bits},
#include "hal/types.def"
    [CORE_TYPE_BIT] = {"BIT", 1},
    [CORE_TYPE_U8] = {"U8", 8},
    [CORE_TYPE_U16] = {"U16", 16},
    [CORE_TYPE_U32] = {"U32", 32},
};

const char *core_type_name(uint32_t type) { return type < CORE_TYPE_COUNT ? types[type].name : "?"; }

unsigned core_type_bits(uint32_t type) { return type < CORE_TYPE_COUNT ? types[type].bits : 0; }

// --- operations of global memory ---------------------------------------------------------------

static const uint8_t operand_types[GM_OP_COUNT] = {
#define GM_OP(name, code, operand, memory, value, follow, text) [code] = TYPE_##operand,
#include "hal/gm_ops.def"
#undef GM_OP
};
static const uint8_t memory_types[GM_OP_COUNT] = {
#define GM_OP(name, code, operand, memory, value, follow, text) [code] = TYPE_##memory,
#include "hal/gm_ops.def"
#undef GM_OP
};

uint32_t core_gm_operand_type(uint32_t op) { return operand_types[op]; }
uint32_t core_gm_memory_type(uint32_t op) { return memory_types[op]; }
