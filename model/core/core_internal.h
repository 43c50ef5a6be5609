// Private to model/core: what its files share, and the functions that each command's file defines.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_CORE_INTERNAL_H
#define AMALGAM_CORE_CORE_INTERNAL_H

#include <math.h>

#include "core/core.h"
#include "core/tensor.h"
#include "hal/registers.h"

static inline uint64_t core_ceil_div(uint64_t x, uint64_t y) { return x / y + (x % y != 0); }
static inline uint64_t core_strips(uint32_t x) { return core_ceil_div(x, STRIP); }
// Strips of that many columns.
static inline uint64_t core_strips_of(uint32_t type, uint64_t cols) {
  return core_ceil_div(cols, core_strip_cols(type));
}
static inline uint64_t core_round_16(uint32_t x) { return core_strips(x) * STRIP; }

// Products and sums that stick at the largest value instead of wrapping: what they describe fits
// into no memory, and is refused for that.
static inline uint64_t core_mul(uint64_t x, uint64_t y) {
  uint64_t product;
  return __builtin_mul_overflow(x, y, &product) ? UINT64_MAX : product;
}
static inline uint64_t core_add(uint64_t x, uint64_t y) {
  uint64_t sum;
  return __builtin_add_overflow(x, y, &sum) ? UINT64_MAX : sum;
}

static inline uint8_t *core_at(const core_memory_t *memory, core_space_t space, uint64_t address) {
  return memory->base[space] + (space == SPACE_GM ? address - GM_BASE : address);
}

// Bytes of an element; 0 if there is no such type, or several elements share a byte.
static inline uint32_t core_type_bytes(uint32_t type) {
  switch (type) {
#define TYPE(name, bits, text) \
  case TYPE_##name:            \
    return (bits) / 8;
#include "hal/types.def"
    case CORE_TYPE_U8:
      return 1;
    case CORE_TYPE_U16:
      return 2;
    case CORE_TYPE_U32:
      return 4;
    default:
      return 0;
  }
}

static inline bool core_type_is_int4(uint32_t type) { return type == TYPE_S4 || type == TYPE_U4; }

// Bytes of a row of elements.
static inline uint64_t core_row_bytes(uint32_t type, uint64_t cols) {
  return core_type_is_int4(type) ? core_ceil_div(cols, 2) : cols * core_type_bytes(type);
}

// Is this entry of the config's vector section, by its place there, the price of a division or an exponential?
static inline bool core_price_is_hard(size_t cycles) {
  return cycles == offsetof(config_vector_t, div_cycles) || cycles == offsetof(config_vector_t, exp_cycles);
}

// The next whole cycle; a quotient that misses a whole number by rounding alone is that number.
static inline uint64_t core_whole_cycles(double cycles) {
  const double nearest = rint(cycles);
  return (uint64_t)(fabs(cycles - nearest) <= 1e-9 * cycles ? nearest : ceil(cycles));
}

// Bytes of a triplet in EB: the maximum, then the elements.
static inline uint64_t core_triplet_bytes(uint32_t dim) { return 4 * ((uint64_t)dim + 2); }

// A command that is being checked.
typedef struct core_checker {
  core_kind_t kind;
  const core_memory_t *memory;
  const command_t *command;
  const char *operation;  // of a VEC or VINST, once it is known
  char *error;
} core_checker_t;

// One side of a command in memory: the bytes it touches and the rules its fields obey.
typedef struct core_operand {
  const char *field;        // the command's field that holds base
  const char *pitch_field;  // likewise; NULL if the pitch follows from the layout
  core_access_t access;     // exactly what is read or written
  uint64_t extent;          // bytes from base to the end of what it takes, padding included
  uint32_t align;           // of base and of a pitch that is a field
} core_operand_t;

// The operands of a command with a known opcode (VEC: and a known op), sources first; sizes are as
// the fields say, checked or not, and never wrap. Returns their number.
size_t core_operands(const command_t *command, core_operand_t operand[CORE_MAX_ACCESSES]);

// The elements of an operand, beside where it is.
typedef struct core_shape {
  uint32_t type;
  core_layout_t layout;
  uint64_t rows, cols;
  uint64_t pitch, block_pitch;  // CORE_FRACTALS
} core_shape_t;

// --- what a command's row asks its file to define (hal/commands.def) ------------------------------

// check: are its fields in range?  operands: as core_operands.  shape: of an operand.  execute: as core_execute.
// sources: as core_sources.  bytes: that it moves.  cycles: as core_cycles.
#define DATA_NONE(name)
#define DATA_READ(name)                                                            \
  size_t core_##name##_operands(const cmd_##name##_t *c, core_operand_t *operand); \
  core_shape_t core_##name##_shape(const cmd_##name##_t *c, const core_operand_t *operand);
#define DATA_COPY(name) \
  DATA_READ(name)       \
  void core_##name##_execute(const core_memory_t *memory, const cmd_##name##_t *c);
#define DATA_MOVE(name)                                                                                           \
  DATA_COPY(name)                                                                                                 \
  size_t core_##name##_sources(const cmd_##name##_t *c, const core_tensor_t *tensors, size_t count, uint64_t row, \
                               uint64_t col, core_source_t *source);
#define DATA_COMPUTE(name) DATA_MOVE(name)
#define DATA_LANES(name)                                                                                          \
  size_t core_##name##_operands(const cmd_##name##_t *c, core_operand_t *operand);                                \
  size_t core_##name##_tensors(const cmd_##name##_t *c, core_tensor_t *tensor);                                   \
  void core_##name##_execute(const core_memory_t *memory, const cmd_##name##_t *c);                               \
  size_t core_##name##_sources(const cmd_##name##_t *c, const core_tensor_t *tensors, size_t count, uint64_t row, \
                               uint64_t col, core_source_t *source);
#define COST_NONE(name)
#define COST_FIXED(name)
#define COST_GBPS(name) uint64_t core_##name##_bytes(const cmd_##name##_t *c);
#define COST_BYTES(name) COST_GBPS(name)
#define COST_OWN(name) uint64_t core_##name##_cycles(const config_t *config, const cmd_##name##_t *c);
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text)         \
  bool core_##name##_check(const core_checker_t *check, const cmd_##name##_t *c); \
  DATA_##data(name) COST_##cost(name)
#include "hal/commands.def"
#undef DATA_NONE
#undef DATA_READ
#undef DATA_COPY
#undef DATA_MOVE
#undef DATA_COMPUTE
#undef DATA_LANES
#undef COST_NONE
#undef COST_FIXED
#undef COST_GBPS
#undef COST_BYTES
#undef COST_OWN

// --- operations of VEC ----------------------------------------------------------------------------

// Does the operation leave this field unread?
bool core_vec_ignores(const cmd_vec_t *c, const char *field);

// Does the instruction leave this field of a VINST unread?
bool core_vinst_ignores(const cmd_vinst_t *c, const char *field);

// Of an operation of global memory: the types of its operand and of what that is combined with.
uint32_t core_gm_operand_type(uint32_t op);
uint32_t core_gm_memory_type(uint32_t op);
const uint32_t *core_fixpipe_row(const core_memory_t *memory, const cmd_fixpipe_t *c, uint64_t row, uint32_t *room);

// Does a FIXPIPE or FIX_L1 leave this field unread, or is it one of integers, scales and ReLU without any of them?
bool core_fixpipe_ignores(const cmd_fixpipe_t *c, const char *field);

// Its elements in bytes of the wider type (core_work_t), and whether it costs what a division or exponential costs.
uint64_t core_vec_work(const cmd_vec_t *c);
bool core_vec_is_hard(const cmd_vec_t *c);
uint64_t core_vinst_work(const cmd_vinst_t *c);
bool core_vinst_is_hard(const cmd_vinst_t *c);

// core_reach of a VEC's operand.
core_reach_t core_vec_reach(const cmd_vec_t *c, const core_tensor_t *tensor);

#endif
