// The operands of commands as matrices of numbers: type, shape and layout of what core_accesses gives as bytes, and
// which elements each result is computed from.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_TENSOR_H
#define AMALGAM_CORE_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

// Types beyond TYPE_* of hal/command.h: a bit of a mask, and numbers without a type where a command moves bytes
// whatever they mean.
enum { CORE_TYPE_BIT = TYPE_COUNT, CORE_TYPE_U8, CORE_TYPE_U16, CORE_TYPE_U32, CORE_TYPE_COUNT };

// "F32", "BIT"; "?" if there is none.
const char *core_type_name(uint32_t type);
// The bits of one element.
unsigned core_type_bits(uint32_t type);
// The columns of a strip.
static inline uint64_t core_strip_cols(uint32_t type) { return STRIP_ROW * 8 / core_type_bits(type); }
// The columns of a fractal.
static inline uint64_t core_fractal_cols(uint32_t type) {
  return core_type_bits(type) == 32 ? (uint64_t)STRIP : core_strip_cols(type);
}

typedef enum core_layout {
  CORE_ROWS,      // element [r][c] is the c-th of row r; rows are pitch bytes apart
  CORE_STRIPS,    // of L1, L0A and L0B (sw/hal/commands.def): strips, pitch bytes apart, rows of 32 bytes
  CORE_BLOCKS,    // of VINST: row r is a repeat, pitch bytes apart, in blocks of 32 bytes that are block_pitch apart
  CORE_FRACTALS,  // of 16 rows of 32 bytes, of 32-bit elements 64: the next 16 rows are pitch bytes further, the next
                  // columns block_pitch. In L0B element [n][k] is B's of row k and column n
  CORE_KEYS,      // of an engine's SPACE_KV: row r is key r, base + r % pitch of block r / pitch; its columns are the
                  // key's elements, then its value's. Addresses are rows of the SRAM, not bytes
} core_layout_t;

typedef struct core_tensor {
  const char *field;  // the command's field: "l0a"
  core_space_t space;
  bool write;     // what is read and written is listed twice: a read, then a write
  uint32_t type;  // TYPE_* or CORE_TYPE_*
  core_layout_t layout;
  uint64_t base, pitch;  // bytes in its space, GM: global addresses; CORE_KEYS: rows
  uint64_t rows, cols;   // padding is no part of it
  uint64_t block_pitch;  // CORE_FRACTALS, CORE_BLOCKS: bytes
  // CORE_BLOCKS: which of its elements take part (core_tensor_has): the first
  uint64_t elements, lanes[2];  // so many, or, if that is 0, those columns of each row whose bit is set
} core_tensor_t;

enum { CORE_MAX_TENSORS = 6 };

// The operands of a command that passed core_check, sources first, as core_accesses has them; what an atomic operation
// combines with is one of them. Exactly one is written, the last; of READ_GM, which the scalar core does, and of
// commands that move nothing, none. As there, the rows that a GATHER_IN reads are missing: core_gather_row.
// Returns their number.
size_t core_tensors(const command_t *command, core_tensor_t tensor[CORE_MAX_TENSORS]);

// The byte that element [r][c] begins with. *high: it is a nibble, and the byte's upper one. Of a bit: bit c % 8.
uint64_t core_tensor_address(const core_tensor_t *tensor, uint64_t r, uint64_t c, bool *high);

// Does it take part in its command? Elements of other layouts than CORE_BLOCKS all do.
bool core_tensor_has(const core_tensor_t *tensor, uint64_t r, uint64_t c);

// Its value; of a bit 0 or 1. Bits that are no number are a NaN.
double core_tensor_value(const core_memory_t *memory, const core_tensor_t *tensor, uint64_t r, uint64_t c);

// The element that has a byte of it at this address, of several the one with the lowest column; rows that overlap,
// which only reads may: the last one that has it. False: it is padding or not in it; always of CORE_KEYS.
bool core_tensor_element(const core_tensor_t *tensor, uint64_t address, uint64_t *r, uint64_t *c);

// The elements of an operand from which the result's element [r][c] is computed, if that follows a rule:
typedef enum core_reach {
  CORE_REACH_SAME,    // [r][c]
  CORE_REACH_TURNED,  // [c][r]
  CORE_REACH_SQUARE,  // [r][core_square(c)]
  CORE_REACH_PAIR,    // [r][c ^ 1]
  CORE_REACH_GROUP,   // [r][c / VEC_SCALE_COLS]
  CORE_REACH_FIRST,   // [r][0]
  CORE_REACH_COLUMN,  // [c][0]
  CORE_REACH_ROW      // all of row r
} core_reach_t;

static inline uint64_t core_reach_col(core_reach_t reach, uint64_t c) {
  return reach == CORE_REACH_SAME    ? c
         : reach == CORE_REACH_PAIR  ? c ^ 1
         : reach == CORE_REACH_GROUP ? c / VEC_SCALE_COLS
                                     : 0;
}

// Element i of a square of so many elements, turned.
static inline uint64_t core_square(uint64_t elements, uint64_t i) {
  const uint64_t side = elements == STRIP * STRIP ? (uint64_t)STRIP : (uint64_t)STRIP_ROW;
  return i % side * side + i / side;
}

// The reach of one of core_tensors; not for MMAD, GATHER_IN, LOAD_KV and ATTN.
core_reach_t core_reach(const command_t *command, const core_tensor_t *tensor);

// A rectangle of elements of an operand.
typedef struct core_source {
  size_t tensor;  // of core_tensors
  uint64_t row, rows, col, cols;
} core_source_t;

// What element [r][c] of the tensor that a command writes is computed from, whatever the values (SELECT: both sides;
// ATTN: all keys that a mask bit may choose). Constants are none, so there may be 0. Returns the number of rectangles.
size_t core_sources(const command_t *command, uint64_t r, uint64_t c, core_source_t source[CORE_MAX_TENSORS]);

// Of a VINST: does an element of an operand have a say in column `to` of the result of its row, as memory is?  Not if
// it takes no part, or if a selection takes the other side.
bool core_vinst_reads(const core_memory_t *memory, const cmd_vinst_t *c, const core_tensor_t *tensors, size_t tensor,
                      uint64_t row, uint64_t col, uint64_t to);

#ifdef __cplusplus
}
#endif

#endif
