// Command words as they cross from firmware to the pipes; generated from the .def files beside
// this header.  Shared by firmware and model, freestanding C11.
//
//   byte 0      1      2..3   4..7   8..15           16..
//   +--------+------+------+------+---------------+------------------------+
//   | opcode | pipe |  0   |  0   | pc of issuer  | fields of the command  |
//   +--------+------+------+------+---------------+------------------------+
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_HAL_COMMAND_H
#define AMALGAM_SW_HAL_COMMAND_H

#include <stdint.h>

enum core_kind {
#define CORE_KIND(NAME, name, text, groups, each) CORE_##NAME,
#include "hal/core_kinds.def"
  CORE_KIND_COUNT
};

enum core_bit {
#define CORE_KIND(NAME, name, text, groups, each) ON_##NAME = 1 << CORE_##NAME,
#include "hal/core_kinds.def"
  ON_ANY = (1 << CORE_KIND_COUNT) - 1
};

enum pipe {
#define PIPE(name, code, cores, text) PIPE_##name = (code),
#include "hal/pipes.def"
  PIPE_COUNT
};

enum pipe_bit {
#define PIPE(name, code, cores, text) PIPE_BIT_##name = 1 << (code),
#include "hal/pipes.def"
  PIPE_ANY = (1 << PIPE_COUNT) - 1
};

enum gm_op {
#define GM_OP(name, code, operand, memory, value, follow, text) GM_##name = (code),
#include "hal/gm_ops.def"
#undef GM_OP
  GM_OP_COUNT
};

enum vector_op {
#define VOP(NAME, name, cost, form, types, value, follow, text) VOP_##NAME,
#include "hal/vector_ops.def"
  VOP_COUNT
};

enum vector_instruction {
#define VI(NAME, name, cost, form, types, value, follow, text) VI_##NAME,
#include "hal/vector_instructions.def"
  VI_COUNT
};

enum element_type {
#define TYPE(name, bits, text) TYPE_##name,
#include "hal/types.def"
  TYPE_COUNT
};

enum element_bit {
#define TYPE(name, bits, text) TYPE_BIT_##name = 1 << TYPE_##name,
#include "hal/types.def"
};

enum operand_kind { OPERAND_TILE, OPERAND_ROW, OPERAND_SCALAR, OPERAND_COUNT };
enum rounding { ROUND_NEAREST, ROUND_TRUNC, ROUND_COUNT };
enum mask_mode { MASK_NONE, MASK_LIMIT, MASK_BITS, MASK_MODE_COUNT };
enum element_size { ELEMENT_16, ELEMENT_8, ELEMENT_COUNT };                  // of a cube core's operands
enum fixpipe_quant { QUANT_NONE, QUANT_SCALE, QUANT_COLUMNS, QUANT_COUNT };  // what FIXPIPE multiplies by

enum {
  VEC_TYPES = TYPE_E4M3 + 1,  // those of VEC and MMAD; the others are VINST's
  FLAG_EVENTS = 32,           // events of one (from, to) pair of pipes
  CROSS_FLAGS = 16,           // cross-core flags of a core, and as many from the other AI core of its pair
  CROSS_FLAG_MAX = 15,        // a cross-core flag counts up to this
  VEC_SCALE_COLS = 128,       // columns that share a factor of VOP_SCALE
  STRIP = 16,      // columns of a fractal strip, of 16-bit elements; its rows are padded to a multiple of that, too
  STRIP_ROW = 32,  // bytes of its rows
};

// Modes of VINST: how a conversion rounds (to nearest even, down, up, to nearest or away from zero, towards zero, to
// odd), what a largest or smallest leaves, and whether a selection has bits for each repeat, or the same for all.
enum vector_round { VECTOR_RINT, VECTOR_FLOOR, VECTOR_CEIL, VECTOR_ROUND, VECTOR_TRUNC, VECTOR_ODD, VECTOR_ROUNDS };
enum vector_choice { CHOICE_VALUE, CHOICE_VALUE_INDEX, CHOICE_INDEX_VALUE, CHOICE_INDEX, CHOICE_COUNT };
// Of elements that are taken, every second or fourth is; of lists that are merged, all, or until one is at its end.
enum vector_gather {
  GATHER_BITS,
  GATHER_EVEN,
  GATHER_ODD,
  GATHER_FIRST_OF_4,
  GATHER_SECOND_OF_4,
  GATHER_THIRD_OF_4,
  GATHER_FOURTH_OF_4,
  GATHER_ALL,
  GATHER_SAME,
  GATHER_COUNT
};
enum vector_merge { MERGE_ALL, MERGE_TO_END, MERGE_COUNT };
enum vector_select { SELECT_EACH, SELECT_SAME, SELECT_COUNT };

// From block to block and from repeat to repeat of an operand of VINST, in units of 32 bytes.
#define VECTOR_STEP(block, repeat) ((uint32_t)(block) | (uint32_t)(repeat) << 16)

enum opcode {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) OP_##NAME,
#include "hal/commands.def"
  OP_COUNT
};

#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  typedef struct cmd_##name {                                             \
    uint8_t opcode_;                                                      \
    uint8_t pipe_;                                                        \
    uint16_t zero_;                                                       \
    uint32_t zero2_;                                                      \
    uint64_t pc_;
#define FIELD(type, name, text) type name;
#define END_COMMAND(name) \
  }                       \
  cmd_##name##_t;
#include "hal/commands.def"

typedef struct cmd_header {
  uint8_t opcode_;
  uint8_t pipe_;
  uint16_t zero_;
  uint32_t zero2_;
  uint64_t pc_;  // program counter of the issuing code, for messages
} cmd_header_t;

typedef union command {
  cmd_header_t header;
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) cmd_##name##_t name;
#include "hal/commands.def"
} command_t;

#endif
